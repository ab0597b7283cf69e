// Code generated from stages_avx512.go by narrow; DO NOT EDIT.

//go:build goexperiment.simd && amd64 && !purego

package wavefront

import (
	"simd/archsimd"
	"unsafe"
)

// Each line of these stages is one of the plain stages, for eight rays at
// once. Where rays differ, both ways are computed and one is merged into the
// other: v.Merge(w, m) is v in the lanes of m, and w in the others. Lanes after
// the last ray are computed like others, and what they give is not counted.
//
// In Go 1.26 the compiler turns the last operand of v.Or(w).AndNot(x) on 512
// bits into the first; so there is no AndNot here. ClearAVXUpperBits is the
// VZEROUPPER that an assembly function would end with.

func xorshift8(k *constants8, x words8) words8 {
	x = x.Xor(x.ShiftAllLeft(13))
	x = x.Xor(x.ShiftRight(k.seventeen.v))
	return x.Xor(x.ShiftAllLeft(15))
}

func unit8(k *constants8, x ints8) floats8 {
	return x.ConvertToFloat32().MulAdd(k.toUnit.v, k.half.v)
}

func direction8(k *constants8, x words8) (cos, sin floats8) {
	s := x.AsInt32x8().ConvertToFloat32().Mul(k.toSymmetric.v)
	s2 := s.Mul(s)
	sin = s2.MulAdd(k.sin3.v, k.sin2.v).MulAdd(s2, k.sin1.v).MulAdd(s2, k.sin0.v).Mul(s)
	cos = s2.MulAdd(k.cos4.v, k.cos3.v).MulAdd(s2, k.cos2.v).MulAdd(s2, k.cos1.v).MulAdd(s2, k.cos0.v)
	return cos.AsUint32x8().Xor(x.ShiftAllLeft(31)).AsFloat32x8(), sin
}

func drawAVX2(f *front, b *block) {
	k, whole := constantLanes8, b.width == blockSide && b.height == blockSide
	stride, x, y := spreadWord8(uint32(b.stride)), spreadWord8(uint32(b.x)), spreadWord8(uint32(b.y))
	next := f.at8(f.n)
	for sample := range b.n {
		first := sampleSeed(b.seed, b.sample+sample) + b.number
		for i := 0; i < group; i += 8 {
			right, above := k.column.v, k.row.v.Add(spreadWord8(uint32(i/blockSide)))
			path := above.Mul(k.tileSize.v).Add(right).ShiftAllLeft(depthBits).Add(spreadWord8(b.path))
			state := above.Mul(stride).Add(right).Add(spreadWord8(first))
			dx := x.Add(right).AsInt32x8().ConvertToFloat32()
			dy := y.Add(above).AsInt32x8().ConvertToFloat32()
			n := 8
			if !whole { // at the edge of the picture
				within := spreadInt8(int32(b.width)).Greater(right.AsInt32x8())
				on := uint(within.And(spreadInt8(int32(b.height)).Greater(above.AsInt32x8())).ToBits())
				pick := newPick8(on)
				path, state = path.Permute(pick), state.Permute(pick)
				dx, dy = dx.Permute(pick), dy.Permute(pick)
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

// pointsAVX2 draws the points that the rays of aim go through.
func pointsAVX2(f *front, from int) {
	k, now := constantLanes8, f.at8(from)
	for left := f.n - from; left > 0; left, now = left-8, now.after(8) {
		// pathSeed
		state := now.state.v
		state = state.Xor(state.ShiftRight(k.sixteen.v)).Mul(k.mixA.v)
		state = state.Xor(state.ShiftRight(k.thirteen.v)).Mul(k.mixB.v)
		state = state.Xor(state.ShiftRight(k.sixteen.v)).Max(k.wordOne.v)

		state = xorshift8(k, state)
		now.dx.v = now.dx.v.Add(unit8(k, state.AsInt32x8()))
		state = xorshift8(k, state)
		now.dy.v = now.dy.v.Add(unit8(k, state.AsInt32x8()))

		// inDisk
		angle := xorshift8(k, state)
		larger := xorshift8(k, angle)
		state = xorshift8(k, larger)
		now.state.v = state
		radius := unit8(k, larger.AsInt32x8().Max(state.AsInt32x8()))
		cos, sin := direction8(k, angle)
		now.ox.v = radius.Mul(cos)
		now.oy.v = radius.Mul(sin)
	}
}

func aimAVX2(f *front, c *Camera, from int) {
	pointsAVX2(f, from)
	k, l := constantLanes8, c.lanes8()
	now := f.at8(from)
	for left := f.n - from; left > 0; left, now = left-8, now.after(8) {
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

func cullAVX2(l *lens, b *bundle, list []uint32) int {
	k := constantLanes8
	x, y, halfX, halfY, secant := spread8(b.x), spread8(b.y), spread8(b.halfX), spread8(b.halfY), spread8(b.secant)
	zero := k.zero.v
	n := 0
	for i := 0; i < l.n; i += 8 {
		z, depth, blur := loadPart8(l.z[i:]), loadPart8(l.depth[i:]), loadPart8(l.blur[i:])
		reach := loadPart8(l.reach[i:]).Mul(secant)
		dx := loadPart8(l.x[i:]).Sub(z.Mul(x))
		dy := loadPart8(l.y[i:]).Sub(z.Mul(y))
		outX := dx.Max(zero.Sub(dx)).Greater(depth.MulAdd(halfX, blur).Add(reach))
		outY := dy.Max(zero.Sub(dy)).Greater(depth.MulAdd(halfY, blur).Add(reach))
		in := lanes8(l.n-i) &^ uint(outX.Or(outY).ToBits())
		storePart8(list[n:], k.numbers.v.Add(spreadWord8(uint32(i))).Permute(newPick8(in)))
		n += count(in)
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// directionsAVX2 finds where the directions of n rays are in curve, and puts that
// into the column of distances, as bits. A direction is where it meets the octahedron |x| + |y| +
// |z| = 1; seen from above and from below, that is a square.
func directionsAVX2(f *front, n int) {
	k, now := constantLanes8, f.at8(0)
	zero, side := k.zero.v, k.curveSide.v
	for left := n; left > 0; left, now = left-8, now.after(8) {
		x, y, z := now.dx.v, now.dy.v, now.dz.v
		sum := x.Max(zero.Sub(x)).Add(y.Max(zero.Sub(y))).Add(z.Max(zero.Sub(z)))
		scale := side.Div(sum)
		u := x.Add(z).MulAdd(scale, side).ConvertToInt32()
		v := x.Sub(z).MulAdd(scale, side).ConvertToInt32()
		below := y.AsUint32x8().ShiftAllRight(31).AsInt32x8()
		now.t.v = below.ShiftAllLeft(3).Add(v).ShiftAllLeft(3).Add(u).AsFloat32x8()
	}
	archsimd.ClearAVXUpperBits()
}

// beamAVX2 finds the beam of a group of rays.
func beamAVX2(b *beam, c *columns) {
	k := constantLanes8
	zero, one, tiny := k.zero.v, k.one.v, k.tiny.v
	// The middle of the origins, and the mean direction.
	var ox, oy, oz, ax, ay, az floats8
	now := (*columns8)(unsafe.Pointer(c))
	for i := 0; i < group; i, now = i+8, now.after(8) {
		ox, oy, oz = ox.Add(now.ox.v), oy.Add(now.oy.v), oz.Add(now.oz.v)
		ax, ay, az = ax.Add(now.dx.v), ay.Add(now.dy.v), az.Add(now.dz.v)
	}
	ox, oy, oz = sum8(k, ox).Mul(k.share.v), sum8(k, oy).Mul(k.share.v), sum8(k, oz).Mul(k.share.v)
	ax, ay, az = sum8(k, ax), sum8(k, ay), sum8(k, az)
	inverse := one.Div(az.MulAdd(az, ay.MulAdd(ay, ax.MulAdd(ax, tiny))).Sqrt())
	ax, ay, az = ax.Mul(inverse), ay.Mul(inverse), az.Mul(inverse)
	// The plane across it, as newAcross has it.
	h2 := az.MulAdd(az, ax.MulAdd(ax, tiny))
	h := one.Div(h2.Sqrt())
	ux, uz := az.Mul(h), zero.Sub(ax.Mul(h))
	vx, vy, vz := ay.Mul(h).Mul(ax), zero.Sub(h2.Mul(h)), ay.Mul(h).Mul(az)
	// At a depth z, a ray is at side + z*slope.
	var sideP, sideQ, slopeP, slopeQ, secant, back floats8
	now = (*columns8)(unsafe.Pointer(c))
	for i := 0; i < group; i, now = i+8, now.after(8) {
		dx, dy, dz := now.dx.v, now.dy.v, now.dz.v
		inverse := one.Div(dz.MulAdd(az, dy.MulAdd(ay, dx.Mul(ax))).Max(tiny))
		p := dz.MulAdd(uz, dx.Mul(ux)).Mul(inverse)
		q := dz.MulAdd(vz, dy.MulAdd(vy, dx.Mul(vx))).Mul(inverse)
		x, y, z := ox.Sub(now.ox.v), oy.Sub(now.oy.v), oz.Sub(now.oz.v)
		depth := z.MulAdd(az, y.MulAdd(ay, x.Mul(ax)))
		sideP = sideP.Max(abs8(k, depth.MulAdd(p, zero.Sub(z.MulAdd(uz, x.Mul(ux))))))
		sideQ = sideQ.Max(abs8(k, depth.MulAdd(q, zero.Sub(z.MulAdd(vz, y.MulAdd(vy, x.Mul(vx)))))))
		slopeP, slopeQ = slopeP.Max(abs8(k, p)), slopeQ.Max(abs8(k, q))
		secant, back = secant.Max(inverse), back.Max(depth)
	}
	to := b.lanes8()
	to.ox.v, to.oy.v, to.oz.v, to.ax.v, to.ay.v, to.az.v = ox, oy, oz, ax, ay, az
	to.ux.v, to.uz.v, to.vx.v, to.vy.v, to.vz.v = ux, uz, vx, vy, vz
	to.secant.v, to.back.v = most8(k, secant), most8(k, back)
	to.sideP.v, to.slopeP.v = most8(k, sideP), most8(k, slopeP)
	to.sideQ.v, to.slopeQ.v = most8(k, sideQ), most8(k, slopeQ)
	archsimd.ClearAVXUpperBits()
}

func partAVX2(f *front, bounces int) {
	k, depths := constantLanes8, spreadInt8(int32(bounces))
	now, next, end := f.at8(0), f.at8(0), f.at8(0)
	live, ended := 0, 0
	for left := f.n; left > 0; left, now = left-8, now.after(8) {
		valid := lanes8(left)
		path := now.path.v
		hit := now.hit.v
		sky := uint(hit.AsInt32x8().Equal(k.wordZero.v.AsInt32x8()).ToBits()) & valid
		if sky != 0 {
			t := now.dy.v.MulAdd(k.half.v, k.half.v)
			r := now.r.v.Mul(t.MulAdd(k.minusHalf.v, k.one.v)).Mul(k.toFixed.v).ConvertToInt32()
			g := now.g.v.Mul(t.MulAdd(k.minusThreeTenths.v, k.one.v)).Mul(k.toFixed.v).ConvertToInt32()
			b := now.b.v.Mul(k.toFixed.v).ConvertToInt32()
			pixel := path.ShiftRight(k.depthShift.v)
			if sky != valid {
				pick := newPick8(sky)
				r, g, b, pixel = r.Permute(pick), g.Permute(pick), b.Permute(pick), pixel.Permute(pick)
			}
			end.endR.v = r
			end.endG.v = g
			end.endB.v = b
			end.endPixel.v = pixel
			n := count(sky)
			ended, end = ended+n, end.after(n)
		}
		depth := path.And(k.depthMask.v).AsInt32x8()
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
			pick := newPick8(on)
			ox, oy, oz = ox.Permute(pick), oy.Permute(pick), oz.Permute(pick)
			dx, dy, dz = dx.Permute(pick), dy.Permute(pick), dz.Permute(pick)
			r, g, b = r.Permute(pick), g.Permute(pick), b.Permute(pick)
			state, path, hit = state.Permute(pick), path.Permute(pick), hit.Permute(pick)
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

// ballsAVX2 does inBall for all rays.
func ballsAVX2(f *front) {
	k, now := constantLanes8, f.at8(0)
	for left := f.n; left > 0; left, now = left-8, now.after(8) {
		a := xorshift8(k, now.state.v)
		b := xorshift8(k, a)
		c := xorshift8(k, b)
		d := xorshift8(k, c)
		e := xorshift8(k, d)
		now.state.v = e
		now.draw.v = unit8(k, a.AsInt32x8())
		h := a.AsInt32x8().ConvertToFloat32().Mul(k.toSymmetric.v)
		cos, sin := direction8(k, b)
		r := unit8(k, c.AsInt32x8().Max(d.AsInt32x8()).Max(e.AsInt32x8()))
		w := r.Mul(k.zero.v.Sub(h).MulAdd(h, k.one.v).Sqrt())
		now.ball[0].v = w.Mul(cos)
		now.ball[1].v = w.Mul(sin)
		now.ball[2].v = r.Mul(h)
	}
}

// lookUpAVX2 does what lookUp does, if there are no more surfaces than lanes.
func lookUpAVX2(f *front, first *[8]floatLanes8) {
	now := f.at8(0)
	for left := f.n; left > 0; left, now = left-8, now.after(8) {
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

func scatterAVX2(f *front, surfaces *surfaces) {
	if len(surfaces.all) <= 8 {
		lookUpAVX2(f, surfaces.first8())
	} else {
		lookUp(f, surfaces)
	}
	ballsAVX2(f)
	k, now, next := constantLanes8, f.at8(0), f.at8(0)
	live := 0
	for left := f.n; left > 0; left, now = left-8, now.after(8) {
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
		valid := lanes8(left)
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
			pick := newPick8(on)
			ox, oy, oz = ox.Permute(pick), oy.Permute(pick), oz.Permute(pick)
			x, y, z = x.Permute(pick), y.Permute(pick), z.Permute(pick)
			r, g, b = r.Permute(pick), g.Permute(pick), b.Permute(pick)
			path, state = path.Permute(pick), state.Permute(pick)
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
