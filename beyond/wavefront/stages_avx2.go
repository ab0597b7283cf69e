// Code generated from stages_avx512.go by narrow.sed; DO NOT EDIT.

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

func aimAVX2(f *front, c *Camera, from int) {
	k, l := constantLanes8, (*cameraLanes[register8[floats8]])(unsafe.Pointer(&c.lanes))
	now := at[columns8](f, from)
	for left := f.n - from; left > 0; left, now = left-8, after(now, 8) {
		// pathSeed
		state := now.state.v
		state = state.Xor(state.ShiftRight(k.sixteen.v)).Mul(k.mixA.v)
		state = state.Xor(state.ShiftRight(k.thirteen.v)).Mul(k.mixB.v)
		state = state.Xor(state.ShiftRight(k.sixteen.v)).Max(k.wordOne.v)

		state = xorshift8(k, state)
		across := now.dx.v.Add(unit8(k, state.AsInt32x8()))
		state = xorshift8(k, state)
		up := now.dy.v.Add(unit8(k, state.AsInt32x8()))

		// inDisk
		angle := xorshift8(k, state)
		larger := xorshift8(k, angle)
		state = xorshift8(k, larger)
		now.state.v = state
		radius := unit8(k, larger.AsInt32x8().Max(state.AsInt32x8()))
		cos, sin := direction8(k, angle)
		lx, ly := radius.Mul(cos), radius.Mul(sin)
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
		now.dx.v, now.dy.v, now.dz.v = dx.Mul(inverse), dy.Mul(inverse), dz.Mul(inverse)
		now.r.v, now.g.v, now.b.v = k.one.v, k.one.v, k.one.v
	}
	archsimd.ClearAVXUpperBits()
}

func partAVX2(f *front, bounces int) {
	k, depths := constantLanes8, spreadInt8(int32(bounces))
	now, next, end := at[columns8](f, 0), at[columns8](f, 0), at[columns8](f, 0)
	live, ended := 0, 0
	for left := f.n; left > 0; left, now = left-8, after(now, 8) {
		valid, path, hit := lanes8(left), now.path.v, now.hit.v
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
			end.endR.v, end.endG.v, end.endB.v, end.endPixel.v = r, g, b, pixel
			n := count(sky)
			ended, end = ended+n, after(end, n)
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
		next.ox.v, next.oy.v, next.oz.v = ox, oy, oz
		next.dx.v, next.dy.v, next.dz.v = dx, dy, dz
		next.r.v, next.g.v, next.b.v = r, g, b
		next.state.v, next.path.v, next.hit.v = state, path, hit
		n := count(on)
		live, next = live+n, after(next, n)
	}
	f.n, f.ended = live, ended
	archsimd.ClearAVXUpperBits()
}

func scatterAVX2(f *front, surfaces *surfaces) {
	first := (*[8]register8[floats8])(unsafe.Pointer(&surfaces.first))
	few := len(surfaces.all) <= 8
	if !few {
		lookUp(f, surfaces)
	}
	k, now, next := constantLanes8, at[columns8](f, 0), at[columns8](f, 0)
	live := 0
	for left := f.n; left > 0; left, now = left-8, after(now, 8) {
		hit := now.hit.v
		surface := func(i int) floats8 { // a number of the surfaces that the rays hit
			if few { // they fit a register
				return first[i].v.Permute(hit)
			}
			return now.surface[i].v
		}

		// inBall
		height := xorshift8(k, now.state.v)
		angle := xorshift8(k, height)
		r1 := xorshift8(k, angle)
		r2 := xorshift8(k, r1)
		state := xorshift8(k, r2)
		h := height.AsInt32x8().ConvertToFloat32().Mul(k.toSymmetric.v)
		cos, sin := direction8(k, angle)
		radius := unit8(k, r1.AsInt32x8().Max(r2.AsInt32x8()).Max(state.AsInt32x8()))
		w := radius.Mul(k.zero.v.Sub(h).MulAdd(h, k.one.v).Sqrt())
		ballX, ballY, ballZ := w.Mul(cos), w.Mul(sin), radius.Mul(h)

		dx, dy, dz := now.dx.v, now.dy.v, now.dz.v
		invRadius := surface(3)
		nx := now.ox.v.Sub(surface(0)).Mul(invRadius)
		ny := now.oy.v.Sub(surface(1)).Mul(invRadius)
		nz := now.oz.v.Sub(surface(2)).Mul(invRadius)
		dn := dz.MulAdd(nz, dy.MulAdd(ny, dx.Mul(nx)))
		mirror := dn.Mul(k.minusTwo.v)
		rx, ry, rz := mirror.MulAdd(nx, dx), mirror.MulAdd(ny, dy), mirror.MulAdd(nz, dz)
		kind := surface(4)
		isMatte := kind.Equal(k.matte.v)
		isGlass := kind.Equal(k.glass.v)

		// Matte surfaces, and metals.
		fuzz := k.one.v.Merge(kind, isMatte)
		x := fuzz.MulAdd(ballX, nx.Merge(rx, isMatte))
		y := fuzz.MulAdd(ballY, ny.Merge(ry, isMatte))
		z := fuzz.MulAdd(ballZ, nz.Merge(rz, isMatte))

		// throughGlass
		if isGlass.ToBits() != 0 {
			zero, one := k.zero.v, k.one.v
			index, inverted, straight := surface(5), surface(6), surface(7)
			leaving := dn.Greater(zero)
			ratio := index.Merge(inverted, leaving)
			cosine := index.Mul(dn).Merge(zero.Sub(dn), leaving)
			minus := zero.Sub(ratio)
			discriminant := minus.Mul(ratio).MulAdd(zero.Sub(dn).MulAdd(dn, one), one)
			c := one.Sub(cosine)
			c2 := c.Mul(c)
			share := one.Sub(straight).MulAdd(c2.Mul(c2).Mul(c), straight)
			refracted := discriminant.Greater(zero).And(unit8(k, height.AsInt32x8()).GreaterEqual(share))
			root := discriminant.Sqrt()
			// The other way round the compiler would take the root twice.
			root = zero.Sub(root).Merge(root, dn.LessEqual(zero))
			bend := minus.MulAdd(dn, root)
			x = bend.MulAdd(nx, ratio.Mul(dx)).Merge(rx, refracted).Merge(x, isGlass)
			y = bend.MulAdd(ny, ratio.Mul(dy)).Merge(ry, refracted).Merge(y, isGlass)
			z = bend.MulAdd(nz, ratio.Mul(dz)).Merge(rz, refracted).Merge(z, isGlass)
		}

		inverse := k.one.v.Div(z.MulAdd(z, y.MulAdd(y, x.MulAdd(x, k.tiny.v))).Sqrt())
		x, y, z = x.Mul(inverse), y.Mul(inverse), z.Mul(inverse)
		valid := lanes8(left)
		outward := z.MulAdd(nz, y.MulAdd(ny, x.Mul(nx))).Greater(k.zero.v)
		on := valid & uint(outward.Or(isMatte).Or(isGlass).ToBits())

		ox := x.MulAdd(k.tMin.v, now.ox.v)
		oy := y.MulAdd(k.tMin.v, now.oy.v)
		oz := z.MulAdd(k.tMin.v, now.oz.v)
		r := now.r.v.Mul(k.one.v.Merge(surface(5), isGlass))
		g := now.g.v.Mul(k.one.v.Merge(surface(6), isGlass))
		b := now.b.v.Mul(k.one.v.Merge(surface(7), isGlass))
		path := now.path.v.Add(k.wordOne.v)
		if on != valid { // some were absorbed
			pick := newPick8(on)
			ox, oy, oz = ox.Permute(pick), oy.Permute(pick), oz.Permute(pick)
			x, y, z = x.Permute(pick), y.Permute(pick), z.Permute(pick)
			r, g, b = r.Permute(pick), g.Permute(pick), b.Permute(pick)
			path, state = path.Permute(pick), state.Permute(pick)
		}
		next.ox.v, next.oy.v, next.oz.v = ox, oy, oz
		next.dx.v, next.dy.v, next.dz.v = x, y, z
		next.r.v, next.g.v, next.b.v = r, g, b
		next.state.v, next.path.v = state, path
		n := count(on)
		live, next = live+n, after(next, n)
	}
	f.n = live
	archsimd.ClearAVXUpperBits()
}
