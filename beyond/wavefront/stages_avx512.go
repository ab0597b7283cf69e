//go:build goexperiment.simd && amd64 && !purego

package wavefront

import (
	"simd/archsimd"
	"unsafe"
)

// Each line of these stages is one of the plain stages, for sixteen rays at
// once. Where rays differ, both ways are computed and one is merged into the
// other: v.Merge(w, m) is v in the lanes of m, and w in the others. Lanes after
// the last ray are computed like others, and what they give is not counted.
//
// In Go 1.26 the compiler turns the last operand of v.Or(w).AndNot(x) on 512
// bits into the first; so there is no AndNot here. ClearAVXUpperBits is the
// VZEROUPPER that an assembly function would end with.

func xorshift16(k *constants16, x words16) words16 {
	x = x.Xor(x.ShiftAllLeft(13))
	x = x.Xor(x.ShiftRight(k.seventeen.v))
	return x.Xor(x.ShiftAllLeft(15))
}

func unit16(k *constants16, x ints16) floats16 {
	return x.ConvertToFloat32().MulAdd(k.toUnit.v, k.half.v)
}

func direction16(k *constants16, x words16) (cos, sin floats16) {
	s := x.AsInt32x16().ConvertToFloat32().Mul(k.toSymmetric.v)
	s2 := s.Mul(s)
	sin = s2.MulAdd(k.sin3.v, k.sin2.v).MulAdd(s2, k.sin1.v).MulAdd(s2, k.sin0.v).Mul(s)
	cos = s2.MulAdd(k.cos4.v, k.cos3.v).MulAdd(s2, k.cos2.v).MulAdd(s2, k.cos1.v).MulAdd(s2, k.cos0.v)
	return cos.AsUint32x16().Xor(x.ShiftAllLeft(31)).AsFloat32x16(), sin
}

func drawAVX512(f *front, b *block) {
	k, whole := constantLanes16, b.width == blockSide && b.height == blockSide
	stride, x, y := spreadWord16(uint32(b.stride)), spreadWord16(uint32(b.x)), spreadWord16(uint32(b.y))
	next := f.at16(f.n)
	for sample := range b.n {
		first := sampleSeed(b.seed, b.sample+sample) + b.number
		for i := 0; i < group; i += 16 {
			right, above := k.column.v, k.row.v.Add(spreadWord16(uint32(i/blockSide)))
			path := above.Mul(k.tileSize.v).Add(right).ShiftAllLeft(depthBits).Add(spreadWord16(b.path))
			state := above.Mul(stride).Add(right).Add(spreadWord16(first))
			dx := x.Add(right).AsInt32x16().ConvertToFloat32()
			dy := y.Add(above).AsInt32x16().ConvertToFloat32()
			n := 16
			if !whole { // at the edge of the picture
				within := spreadInt16(int32(b.width)).Greater(right.AsInt32x16())
				on := uint(within.And(spreadInt16(int32(b.height)).Greater(above.AsInt32x16())).ToBits())
				pick := newPick16(on)
				path, state = path.Compress(pick), state.Compress(pick)
				dx, dy = dx.Compress(pick), dy.Compress(pick)
				n = count(on)
			}
			next.path.v = path
			next.state.v = state
			next.dx.v = dx
			next.dy.v = dy
			f.n, next = f.n+n, next.after(n)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// pointsAVX512 draws the points that the rays of aim go through.
func pointsAVX512(f *front, from int) {
	k, now := constantLanes16, f.at16(from)
	for left := f.n - from; left > 0; left, now = left-16, now.after(16) {
		// pathSeed
		state := now.state.v
		state = state.Xor(state.ShiftRight(k.sixteen.v)).Mul(k.mixA.v)
		state = state.Xor(state.ShiftRight(k.thirteen.v)).Mul(k.mixB.v)
		state = state.Xor(state.ShiftRight(k.sixteen.v)).Max(k.wordOne.v)

		state = xorshift16(k, state)
		now.dx.v = now.dx.v.Add(unit16(k, state.AsInt32x16()))
		state = xorshift16(k, state)
		now.dy.v = now.dy.v.Add(unit16(k, state.AsInt32x16()))

		// inDisk
		angle := xorshift16(k, state)
		larger := xorshift16(k, angle)
		state = xorshift16(k, larger)
		now.state.v = state
		radius := unit16(k, larger.AsInt32x16().Max(state.AsInt32x16()))
		cos, sin := direction16(k, angle)
		now.ox.v = radius.Mul(cos)
		now.oy.v = radius.Mul(sin)
	}
}

func aimAVX512(f *front, c *Camera, from int) {
	pointsAVX512(f, from)
	k, l := constantLanes16, c.lanes16()
	now := f.at16(from)
	for left := f.n - from; left > 0; left, now = left-16, now.after(16) {
		across, up := now.dx.v, now.dy.v
		lx, ly := now.ox.v, now.oy.v
		ox := ly.MulAdd(l.v.x.v, lx.Mul(l.u.x.v))
		oy := ly.MulAdd(l.v.y.v, lx.Mul(l.u.y.v))
		oz := ly.MulAdd(l.v.z.v, lx.Mul(l.u.z.v))
		now.ox.v = l.origin.x.v.Add(ox)
		now.oy.v = l.origin.y.v.Add(oy)
		now.oz.v = l.origin.z.v.Add(oz)

		dx := up.MulAdd(l.vertical.x.v, across.MulAdd(l.horizontal.x.v, l.corner.x.v)).Sub(ox)
		dy := up.MulAdd(l.vertical.y.v, across.MulAdd(l.horizontal.y.v, l.corner.y.v)).Sub(oy)
		dz := up.MulAdd(l.vertical.z.v, across.MulAdd(l.horizontal.z.v, l.corner.z.v)).Sub(oz)
		inverse := k.one.v.Div(dz.MulAdd(dz, dy.MulAdd(dy, dx.MulAdd(dx, k.tiny.v))).Sqrt())
		now.dx.v = dx.Mul(inverse)
		now.dy.v = dy.Mul(inverse)
		now.dz.v = dz.Mul(inverse)
		now.r.v = k.one.v
		now.g.v = k.one.v
		now.b.v = k.one.v
	}
	archsimd.ClearAVXUpperBits()
}

func cullAVX512(l *lens, b *bundle, list []uint32) int {
	k := constantLanes16
	x, y, halfX, halfY, secant := spread16(b.x), spread16(b.y), spread16(b.halfX), spread16(b.halfY), spread16(b.secant)
	zero := k.zero.v
	n := 0
	for i := 0; i < l.n; i += 16 {
		z, depth, blur := loadPart16(l.z[i:]), loadPart16(l.depth[i:]), loadPart16(l.blur[i:])
		reach := loadPart16(l.reach[i:]).Mul(secant)
		dx := loadPart16(l.x[i:]).Sub(z.Mul(x))
		dy := loadPart16(l.y[i:]).Sub(z.Mul(y))
		outX := dx.Max(zero.Sub(dx)).Greater(depth.MulAdd(halfX, blur).Add(reach))
		outY := dy.Max(zero.Sub(dy)).Greater(depth.MulAdd(halfY, blur).Add(reach))
		in := lanes16(l.n-i) &^ uint(outX.Or(outY).ToBits())
		storePart16(list[n:], k.numbers.v.Add(spreadWord16(uint32(i))).Compress(newPick16(in)))
		n += count(in)
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// directionsAVX512 finds where the directions of n rays are in curve, and puts that
// into the column of distances, as bits. A direction is where it meets the octahedron |x| + |y| +
// |z| = 1; seen from above and from below, that is a square.
func directionsAVX512(f *front, n int) {
	k, now := constantLanes16, f.at16(0)
	zero, side := k.zero.v, k.curveSide.v
	for left := n; left > 0; left, now = left-16, now.after(16) {
		x, y, z := now.dx.v, now.dy.v, now.dz.v
		sum := x.Max(zero.Sub(x)).Add(y.Max(zero.Sub(y))).Add(z.Max(zero.Sub(z)))
		scale := side.Div(sum)
		u := x.Add(z).MulAdd(scale, side).ConvertToInt32()
		v := x.Sub(z).MulAdd(scale, side).ConvertToInt32()
		below := y.AsUint32x16().ShiftAllRight(31).AsInt32x16()
		now.t.v = below.ShiftAllLeft(3).Add(v).ShiftAllLeft(3).Add(u).AsFloat32x16()
	}
	archsimd.ClearAVXUpperBits()
}

// beamAVX512 finds the beam of a group of rays.
func beamAVX512(b *beam, c *columns) {
	k := constantLanes16
	zero, one, tiny := k.zero.v, k.one.v, k.tiny.v
	// The middle of the origins, and the mean direction.
	var ox, oy, oz, ax, ay, az floats16
	now := (*columns16)(unsafe.Pointer(c))
	for i := 0; i < group; i, now = i+16, now.after(16) {
		ox, oy, oz = ox.Add(now.ox.v), oy.Add(now.oy.v), oz.Add(now.oz.v)
		ax, ay, az = ax.Add(now.dx.v), ay.Add(now.dy.v), az.Add(now.dz.v)
	}
	ox, oy, oz = sum16(k, ox).Mul(k.share.v), sum16(k, oy).Mul(k.share.v), sum16(k, oz).Mul(k.share.v)
	ax, ay, az = sum16(k, ax), sum16(k, ay), sum16(k, az)
	inverse := one.Div(az.MulAdd(az, ay.MulAdd(ay, ax.MulAdd(ax, tiny))).Sqrt())
	ax, ay, az = ax.Mul(inverse), ay.Mul(inverse), az.Mul(inverse)
	// The plane across it, as newAcross has it.
	h2 := az.MulAdd(az, ax.MulAdd(ax, tiny))
	h := one.Div(h2.Sqrt())
	ux, uz := az.Mul(h), zero.Sub(ax.Mul(h))
	vx, vy, vz := ay.Mul(h).Mul(ax), zero.Sub(h2.Mul(h)), ay.Mul(h).Mul(az)
	// At a depth z, a ray is at side + z*slope.
	var sideP, sideQ, slopeP, slopeQ, secant, back floats16
	now = (*columns16)(unsafe.Pointer(c))
	for i := 0; i < group; i, now = i+16, now.after(16) {
		dx, dy, dz := now.dx.v, now.dy.v, now.dz.v
		inverse := one.Div(dz.MulAdd(az, dy.MulAdd(ay, dx.Mul(ax))).Max(tiny))
		p := dz.MulAdd(uz, dx.Mul(ux)).Mul(inverse)
		q := dz.MulAdd(vz, dy.MulAdd(vy, dx.Mul(vx))).Mul(inverse)
		x, y, z := ox.Sub(now.ox.v), oy.Sub(now.oy.v), oz.Sub(now.oz.v)
		depth := z.MulAdd(az, y.MulAdd(ay, x.Mul(ax)))
		sideP = sideP.Max(abs16(k, depth.MulAdd(p, zero.Sub(z.MulAdd(uz, x.Mul(ux))))))
		sideQ = sideQ.Max(abs16(k, depth.MulAdd(q, zero.Sub(z.MulAdd(vz, y.MulAdd(vy, x.Mul(vx)))))))
		slopeP, slopeQ = slopeP.Max(abs16(k, p)), slopeQ.Max(abs16(k, q))
		secant, back = secant.Max(inverse), back.Max(depth)
	}
	to := b.lanes16()
	to.ox.v, to.oy.v, to.oz.v, to.ax.v, to.ay.v, to.az.v = ox, oy, oz, ax, ay, az
	to.ux.v, to.uz.v, to.vx.v, to.vy.v, to.vz.v = ux, uz, vx, vy, vz
	to.secant.v, to.back.v = most16(k, secant), most16(k, back)
	to.sideP.v, to.slopeP.v = most16(k, sideP), most16(k, slopeP)
	to.sideQ.v, to.slopeQ.v = most16(k, sideQ), most16(k, slopeQ)
	archsimd.ClearAVXUpperBits()
}

func partAVX512(f *front, bounces int) {
	k, depths := constantLanes16, spreadInt16(int32(bounces))
	now, next, end := f.at16(0), f.at16(0), f.at16(0)
	live, ended := 0, 0
	for left := f.n; left > 0; left, now = left-16, now.after(16) {
		valid := lanes16(left)
		path := now.path.v
		hit := now.hit.v
		sky := uint(hit.AsInt32x16().Equal(k.wordZero.v.AsInt32x16()).ToBits()) & valid
		if sky != 0 {
			t := now.dy.v.MulAdd(k.half.v, k.half.v)
			r := now.r.v.Mul(t.MulAdd(k.minusHalf.v, k.one.v)).Mul(k.toFixed.v).ConvertToInt32()
			g := now.g.v.Mul(t.MulAdd(k.minusThreeTenths.v, k.one.v)).Mul(k.toFixed.v).ConvertToInt32()
			b := now.b.v.Mul(k.toFixed.v).ConvertToInt32()
			pixel := path.ShiftRight(k.depthShift.v)
			if sky != valid {
				pick := newPick16(sky)
				r, g, b, pixel = r.Compress(pick), g.Compress(pick), b.Compress(pick), pixel.Compress(pick)
			}
			end.endR.v = r
			end.endG.v = g
			end.endB.v = b
			end.endPixel.v = pixel
			n := count(sky)
			ended, end = ended+n, end.after(n)
		}
		depth := path.And(k.depthMask.v).AsInt32x16()
		on := valid &^ sky & uint(depths.Greater(depth).ToBits())
		if on == 0 {
			continue
		}
		t := now.t.v
		dx, dy, dz := now.dx.v, now.dy.v, now.dz.v
		ox := t.MulAdd(dx, now.ox.v)
		oy := t.MulAdd(dy, now.oy.v)
		oz := t.MulAdd(dz, now.oz.v)
		r, g, b := now.r.v, now.g.v, now.b.v
		state := now.state.v
		if on != valid { // some have ended
			pick := newPick16(on)
			ox, oy, oz = ox.Compress(pick), oy.Compress(pick), oz.Compress(pick)
			dx, dy, dz = dx.Compress(pick), dy.Compress(pick), dz.Compress(pick)
			r, g, b = r.Compress(pick), g.Compress(pick), b.Compress(pick)
			state, path, hit = state.Compress(pick), path.Compress(pick), hit.Compress(pick)
		}
		next.ox.v = ox
		next.oy.v = oy
		next.oz.v = oz
		next.dx.v = dx
		next.dy.v = dy
		next.dz.v = dz
		next.r.v = r
		next.g.v = g
		next.b.v = b
		next.state.v = state
		next.path.v = path
		next.hit.v = hit
		n := count(on)
		live, next = live+n, next.after(n)
	}
	f.n, f.ended = live, ended
	archsimd.ClearAVXUpperBits()
}

// ballsAVX512 does inBall for all rays.
func ballsAVX512(f *front) {
	k, now := constantLanes16, f.at16(0)
	for left := f.n; left > 0; left, now = left-16, now.after(16) {
		a := xorshift16(k, now.state.v)
		b := xorshift16(k, a)
		c := xorshift16(k, b)
		d := xorshift16(k, c)
		e := xorshift16(k, d)
		now.state.v = e
		now.draw.v = unit16(k, a.AsInt32x16())
		h := a.AsInt32x16().ConvertToFloat32().Mul(k.toSymmetric.v)
		cos, sin := direction16(k, b)
		r := unit16(k, c.AsInt32x16().Max(d.AsInt32x16()).Max(e.AsInt32x16()))
		w := r.Mul(k.zero.v.Sub(h).MulAdd(h, k.one.v).Sqrt())
		now.ball[0].v = w.Mul(cos)
		now.ball[1].v = w.Mul(sin)
		now.ball[2].v = r.Mul(h)
	}
}

// lookUpAVX512 does what lookUp does, if there are no more surfaces than lanes.
func lookUpAVX512(f *front, first *[8]floatLanes16) {
	now := f.at16(0)
	for left := f.n; left > 0; left, now = left-16, now.after(16) {
		hit := now.hit.v
		now.surface[0].v = first[0].v.Permute(hit)
		now.surface[1].v = first[1].v.Permute(hit)
		now.surface[2].v = first[2].v.Permute(hit)
		now.surface[3].v = first[3].v.Permute(hit)
		now.surface[4].v = first[4].v.Permute(hit)
		now.surface[5].v = first[5].v.Permute(hit)
		now.surface[6].v = first[6].v.Permute(hit)
		now.surface[7].v = first[7].v.Permute(hit)
	}
}

func scatterAVX512(f *front, surfaces *surfaces) {
	if len(surfaces.all) <= 16 {
		lookUpAVX512(f, surfaces.first16())
	} else {
		lookUp(f, surfaces)
	}
	ballsAVX512(f)
	k, now, next := constantLanes16, f.at16(0), f.at16(0)
	live := 0
	for left := f.n; left > 0; left, now = left-16, now.after(16) {
		dx, dy, dz := now.dx.v, now.dy.v, now.dz.v
		invRadius := now.surface[3].v
		nx := now.ox.v.Sub(now.surface[0].v).Mul(invRadius)
		ny := now.oy.v.Sub(now.surface[1].v).Mul(invRadius)
		nz := now.oz.v.Sub(now.surface[2].v).Mul(invRadius)
		dn := dz.MulAdd(nz, dy.MulAdd(ny, dx.Mul(nx)))
		mirror := dn.Mul(k.minusTwo.v)
		rx, ry, rz := mirror.MulAdd(nx, dx), mirror.MulAdd(ny, dy), mirror.MulAdd(nz, dz)
		kind := now.surface[4].v
		isMatte := kind.Equal(k.matte.v)
		isGlass := kind.Equal(k.glass.v)

		// Matte surfaces, and metals.
		fuzz := k.one.v.Merge(kind, isMatte)
		x := fuzz.MulAdd(now.ball[0].v, nx.Merge(rx, isMatte))
		y := fuzz.MulAdd(now.ball[1].v, ny.Merge(ry, isMatte))
		z := fuzz.MulAdd(now.ball[2].v, nz.Merge(rz, isMatte))

		// throughGlass
		if isGlass.ToBits() != 0 {
			zero, one := k.zero.v, k.one.v
			index, inverted, straight := now.surface[5].v, now.surface[6].v, now.surface[7].v
			leaving := dn.Greater(zero)
			ratio := index.Merge(inverted, leaving)
			cosine := index.Mul(dn).Merge(zero.Sub(dn), leaving)
			minus := zero.Sub(ratio)
			discriminant := minus.Mul(ratio).MulAdd(zero.Sub(dn).MulAdd(dn, one), one)
			c := one.Sub(cosine)
			c2 := c.Mul(c)
			share := one.Sub(straight).MulAdd(c2.Mul(c2).Mul(c), straight)
			refracted := discriminant.Greater(zero).And(now.draw.v.GreaterEqual(share))
			root := discriminant.Sqrt()
			root = root.Merge(zero.Sub(root), leaving)
			bend := minus.MulAdd(dn, root)
			x = bend.MulAdd(nx, ratio.Mul(dx)).Merge(rx, refracted).Merge(x, isGlass)
			y = bend.MulAdd(ny, ratio.Mul(dy)).Merge(ry, refracted).Merge(y, isGlass)
			z = bend.MulAdd(nz, ratio.Mul(dz)).Merge(rz, refracted).Merge(z, isGlass)
			now.surface[5].v = one.Merge(index, isGlass)
			now.surface[6].v = one.Merge(inverted, isGlass)
			now.surface[7].v = one.Merge(straight, isGlass)
		}

		inverse := k.one.v.Div(z.MulAdd(z, y.MulAdd(y, x.MulAdd(x, k.tiny.v))).Sqrt())
		x, y, z = x.Mul(inverse), y.Mul(inverse), z.Mul(inverse)
		valid := lanes16(left)
		outward := z.MulAdd(nz, y.MulAdd(ny, x.Mul(nx))).Greater(k.zero.v)
		on := valid & uint(outward.Or(isMatte).Or(isGlass).ToBits())

		ox := x.MulAdd(k.tMin.v, now.ox.v)
		oy := y.MulAdd(k.tMin.v, now.oy.v)
		oz := z.MulAdd(k.tMin.v, now.oz.v)
		r := now.r.v.Mul(now.surface[5].v)
		g := now.g.v.Mul(now.surface[6].v)
		b := now.b.v.Mul(now.surface[7].v)
		path := now.path.v.Add(k.wordOne.v)
		state := now.state.v
		if on != valid { // some were absorbed
			pick := newPick16(on)
			ox, oy, oz = ox.Compress(pick), oy.Compress(pick), oz.Compress(pick)
			x, y, z = x.Compress(pick), y.Compress(pick), z.Compress(pick)
			r, g, b = r.Compress(pick), g.Compress(pick), b.Compress(pick)
			path, state = path.Compress(pick), state.Compress(pick)
		}
		next.ox.v = ox
		next.oy.v = oy
		next.oz.v = oz
		next.dx.v = x
		next.dy.v = y
		next.dz.v = z
		next.r.v = r
		next.g.v = g
		next.b.v = b
		next.state.v = state
		next.path.v = path
		n := count(on)
		live, next = live+n, next.after(n)
	}
	f.n = live
	archsimd.ClearAVXUpperBits()
}
