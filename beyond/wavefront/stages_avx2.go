// Code generated from stages_avx512.go by narrow; DO NOT EDIT.

//go:build goexperiment.simd && amd64 && !purego

package wavefront

import (
	"math"
	"math/bits"
	"simd/archsimd"
)

// Each line of these stages is one of the plain stages, for eight rays at
// once. Where rays differ, both ways are computed and one is merged into the
// other: v.Merge(w, m) is v in the lanes of m, and w in the others. Lanes after
// the last ray are computed like others, and what they give is not counted.
//
// In Go 1.26 the compiler turns the last operand of v.Or(w).AndNot(x) on 512
// bits into the first; so there is no AndNot here. ClearAVXUpperBits is the
// VZEROUPPER that an assembly function would end with.

func xorshift8(x words8) words8 {
	x = x.Xor(x.ShiftAllLeft(13))
	x = x.Xor(x.ShiftRight(seventeens.x8()))
	return x.Xor(x.ShiftAllLeft(15))
}

func unit8(x ints8) floats8 {
	return x.ConvertToFloat32().MulAdd(toUnit.x8(), halves.x8())
}

func direction8(x words8) (cos, sin floats8) {
	s := x.AsInt32x8().ConvertToFloat32().Mul(toSymmetric.x8())
	s2 := s.Mul(s)
	sin = s2.MulAdd(sin3s.x8(), sin2s.x8()).MulAdd(s2, sin1s.x8()).MulAdd(s2, sin0s.x8()).Mul(s)
	cos = s2.MulAdd(cos4s.x8(), cos3s.x8()).MulAdd(s2, cos2s.x8()).MulAdd(s2, cos1s.x8()).MulAdd(s2, cos0s.x8())
	return cos.AsUint32x8().Xor(x.ShiftAllLeft(31)).AsFloat32x8(), sin
}

func drawAVX2(f *front, b *block) {
	whole := b.width == blockSide && b.height == blockSide
	for sample := range b.n {
		first := sampleSeed(b.seed, b.sample+sample) + b.number
		for i := 0; i < group; i += 8 {
			right, above := laneColumns.x8(), laneRows.x8().Add(spreadWord8(uint32(i/blockSide)))
			path := above.Mul(tileSizes.x8()).Add(right).ShiftAllLeft(depthBits).Add(spreadWord8(b.path))

			// pathSeed
			state := above.Mul(spreadWord8(uint32(b.stride))).Add(right).Add(spreadWord8(first))
			state = state.Xor(state.ShiftRight(sixteens.x8())).Mul(mixAs.x8())
			state = state.Xor(state.ShiftRight(thirteens.x8())).Mul(mixBs.x8())
			state = state.Xor(state.ShiftRight(sixteens.x8())).Max(wordOnes.x8())

			state = xorshift8(state)
			dx := right.Add(spreadWord8(uint32(b.x))).AsInt32x8().ConvertToFloat32().Add(unit8(state.AsInt32x8()))
			state = xorshift8(state)
			dy := above.Add(spreadWord8(uint32(b.y))).AsInt32x8().ConvertToFloat32().Add(unit8(state.AsInt32x8()))

			// inDisk
			angle := xorshift8(state)
			larger := xorshift8(angle)
			state = xorshift8(larger)
			radius := unit8(larger.AsInt32x8().Max(state.AsInt32x8()))
			cos, sin := direction8(angle)
			ox, oy := radius.Mul(cos), radius.Mul(sin)

			n := 8
			if !whole { // at the edge of the picture
				within := spreadInt8(int32(b.width)).Greater(right.AsInt32x8())
				on := uint(within.And(spreadInt8(int32(b.height)).Greater(above.AsInt32x8())).ToBits())
				pick := newPick8(on)
				path, state = compressWords8(path, pick), compressWords8(state, pick)
				ox, oy = compress8(ox, pick), compress8(oy, pick)
				dx, dy = compress8(dx, pick), compress8(dy, pick)
				n = count(on)
			}
			next := f.at(f.n)
			storeWords8(path, &next.path)
			storeWords8(state, &next.state)
			store8(ox, &next.ox)
			store8(oy, &next.oy)
			store8(dx, &next.dx)
			store8(dy, &next.dy)
			f.n += n
		}
	}
	archsimd.ClearAVXUpperBits()
}

func aimAVX2(f *front, c *Camera, from int) {
	l := &c.lanes
	for i := from; i < f.n; i += 8 {
		now := f.at(i)
		across, up := load8(&now.dx), load8(&now.dy)
		lx, ly := load8(&now.ox), load8(&now.oy)
		ox := ly.MulAdd(l.v.x.x8(), lx.Mul(l.u.x.x8()))
		oy := ly.MulAdd(l.v.y.x8(), lx.Mul(l.u.y.x8()))
		oz := ly.MulAdd(l.v.z.x8(), lx.Mul(l.u.z.x8()))
		store8(l.origin.x.x8().Add(ox), &now.ox)
		store8(l.origin.y.x8().Add(oy), &now.oy)
		store8(l.origin.z.x8().Add(oz), &now.oz)

		dx := up.MulAdd(l.vertical.x.x8(), across.MulAdd(l.horizontal.x.x8(), l.corner.x.x8())).Sub(ox)
		dy := up.MulAdd(l.vertical.y.x8(), across.MulAdd(l.horizontal.y.x8(), l.corner.y.x8())).Sub(oy)
		dz := up.MulAdd(l.vertical.z.x8(), across.MulAdd(l.horizontal.z.x8(), l.corner.z.x8())).Sub(oz)
		k := ones.x8().Div(dz.MulAdd(dz, dy.MulAdd(dy, dx.MulAdd(dx, tinies.x8()))).Sqrt())
		store8(dx.Mul(k), &now.dx)
		store8(dy.Mul(k), &now.dy)
		store8(dz.Mul(k), &now.dz)
		store8(ones.x8(), &now.r)
		store8(ones.x8(), &now.g)
		store8(ones.x8(), &now.b)
	}
	archsimd.ClearAVXUpperBits()
}

func cullAVX2(l *lens, b *bundle, list []candidate) int {
	x, y, halfX, halfY, secant := spread8(b.x), spread8(b.y), spread8(b.halfX), spread8(b.halfY), spread8(b.secant)
	zero := zeros.x8()
	n := 0
	for i := 0; i < l.n; i += 8 {
		z, depth, blur := loadPart8(l.z[i:]), loadPart8(l.depth[i:]), loadPart8(l.blur[i:])
		reach := loadPart8(l.reach[i:]).Mul(secant)
		dx := loadPart8(l.x[i:]).Sub(z.Mul(x))
		dy := loadPart8(l.y[i:]).Sub(z.Mul(y))
		outX := dx.Max(zero.Sub(dx)).Greater(depth.MulAdd(halfX, blur).Add(reach))
		outY := dy.Max(zero.Sub(dy)).Greater(depth.MulAdd(halfY, blur).Add(reach))
		for in := lanes8(l.n-i) &^ uint(outX.Or(outY).ToBits()); in != 0; in &= in - 1 {
			list[n] = candidate{uint32(i+bits.TrailingZeros(in)) + 1, math.MaxUint32}
			n++
		}
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func partAVX2(f *front, bounces int) {
	live, ended := 0, 0
	for i := 0; i < f.n; i += 8 {
		now, next := f.at(i), f.at(live)
		valid := lanes8(f.n - i)
		path := loadWords8(&now.path)
		hit := loadWords8(&now.hit)
		sky := uint(hit.AsInt32x8().Equal(wordZeros.x8().AsInt32x8()).ToBits()) & valid
		if sky != 0 {
			end := f.at(ended)
			t := load8(&now.dy).MulAdd(halves.x8(), halves.x8())
			r := load8(&now.r).Mul(t.MulAdd(minusHalves.x8(), ones.x8())).Mul(toFixed.x8()).ConvertToInt32()
			g := load8(&now.g).Mul(t.MulAdd(minusThreeTenths.x8(), ones.x8())).Mul(toFixed.x8()).ConvertToInt32()
			b := load8(&now.b).Mul(toFixed.x8()).ConvertToInt32()
			pixel := path.ShiftRight(depthShifts.x8())
			if sky != valid {
				pick := newPick8(sky)
				r, g, b, pixel = compressInts8(r, pick), compressInts8(g, pick), compressInts8(b, pick), compressWords8(pixel, pick)
			}
			storeInts8(r, &end.endR)
			storeInts8(g, &end.endG)
			storeInts8(b, &end.endB)
			storeWords8(pixel, &end.endPixel)
			ended += count(sky)
		}
		depth := path.And(depthMasks.x8()).AsInt32x8()
		on := valid &^ sky & uint(spreadInt8(int32(bounces)).Greater(depth).ToBits())
		if on == 0 {
			continue
		}
		t := load8(&now.t)
		dx, dy, dz := load8(&now.dx), load8(&now.dy), load8(&now.dz)
		ox := t.MulAdd(dx, load8(&now.ox))
		oy := t.MulAdd(dy, load8(&now.oy))
		oz := t.MulAdd(dz, load8(&now.oz))
		r, g, b := load8(&now.r), load8(&now.g), load8(&now.b)
		state := loadWords8(&now.state)
		if on != valid { // some have ended
			pick := newPick8(on)
			ox, oy, oz = compress8(ox, pick), compress8(oy, pick), compress8(oz, pick)
			dx, dy, dz = compress8(dx, pick), compress8(dy, pick), compress8(dz, pick)
			r, g, b = compress8(r, pick), compress8(g, pick), compress8(b, pick)
			state, path, hit = compressWords8(state, pick), compressWords8(path, pick), compressWords8(hit, pick)
		}
		store8(ox, &next.ox)
		store8(oy, &next.oy)
		store8(oz, &next.oz)
		store8(dx, &next.dx)
		store8(dy, &next.dy)
		store8(dz, &next.dz)
		store8(r, &next.r)
		store8(g, &next.g)
		store8(b, &next.b)
		storeWords8(state, &next.state)
		storeWords8(path, &next.path)
		storeWords8(hit, &next.hit)
		live += count(on)
	}
	f.n, f.ended = live, ended
	archsimd.ClearAVXUpperBits()
}

// ballsAVX2 does inBall for all rays.
func ballsAVX2(f *front) {
	for i := 0; i < f.n; i += 8 {
		now := f.at(i)
		a := xorshift8(loadWords8(&now.state))
		b := xorshift8(a)
		c := xorshift8(b)
		d := xorshift8(c)
		e := xorshift8(d)
		storeWords8(e, &now.state)
		storeGroup8(unit8(a.AsInt32x8()), &now.draw)
		h := a.AsInt32x8().ConvertToFloat32().Mul(toSymmetric.x8())
		cos, sin := direction8(b)
		r := unit8(c.AsInt32x8().Max(d.AsInt32x8()).Max(e.AsInt32x8()))
		w := r.Mul(zeros.x8().Sub(h).MulAdd(h, ones.x8()).Sqrt())
		store8(w.Mul(cos), &now.ball[0])
		store8(w.Mul(sin), &now.ball[1])
		store8(r.Mul(h), &now.ball[2])
	}
}

// lookUpAVX2 does what lookUp does, if there are no more surfaces than lanes.
func lookUpAVX2(f *front, first *[8]spread) {
	for i := 0; i < f.n; i += 8 {
		now := f.at(i)
		hit := loadWords8(&now.hit)
		store8(first[0].x8().Permute(hit), &now.surface[0])
		store8(first[1].x8().Permute(hit), &now.surface[1])
		store8(first[2].x8().Permute(hit), &now.surface[2])
		store8(first[3].x8().Permute(hit), &now.surface[3])
		store8(first[4].x8().Permute(hit), &now.surface[4])
		store8(first[5].x8().Permute(hit), &now.surface[5])
		store8(first[6].x8().Permute(hit), &now.surface[6])
		store8(first[7].x8().Permute(hit), &now.surface[7])
	}
}

func scatterAVX2(f *front, surfaces *surfaces) {
	if len(surfaces.all) <= 8 {
		lookUpAVX2(f, &surfaces.first)
	} else {
		lookUp(f, surfaces)
	}
	ballsAVX2(f)
	live := 0
	for i := 0; i < f.n; i += 8 {
		now, next := f.at(i), f.at(live)
		dx, dy, dz := load8(&now.dx), load8(&now.dy), load8(&now.dz)
		invRadius := load8(&now.surface[3])
		nx := load8(&now.ox).Sub(load8(&now.surface[0])).Mul(invRadius)
		ny := load8(&now.oy).Sub(load8(&now.surface[1])).Mul(invRadius)
		nz := load8(&now.oz).Sub(load8(&now.surface[2])).Mul(invRadius)
		dn := dz.MulAdd(nz, dy.MulAdd(ny, dx.Mul(nx)))
		mirror := dn.Mul(minusTwos.x8())
		rx, ry, rz := mirror.MulAdd(nx, dx), mirror.MulAdd(ny, dy), mirror.MulAdd(nz, dz)
		kind := load8(&now.surface[4])
		isMatte := kind.Equal(mattes.x8())
		isGlass := kind.Equal(glasses.x8())

		// Matte surfaces, and metals.
		fuzz := ones.x8().Merge(kind, isMatte)
		x := fuzz.MulAdd(load8(&now.ball[0]), nx.Merge(rx, isMatte))
		y := fuzz.MulAdd(load8(&now.ball[1]), ny.Merge(ry, isMatte))
		z := fuzz.MulAdd(load8(&now.ball[2]), nz.Merge(rz, isMatte))

		// throughGlass
		if isGlass.ToBits() != 0 {
			zero, one := zeros.x8(), ones.x8()
			index, inverse, straight := load8(&now.surface[5]), load8(&now.surface[6]), load8(&now.surface[7])
			leaving := dn.Greater(zero)
			ratio := index.Merge(inverse, leaving)
			cosine := index.Mul(dn).Merge(zero.Sub(dn), leaving)
			minus := zero.Sub(ratio)
			discriminant := minus.Mul(ratio).MulAdd(zero.Sub(dn).MulAdd(dn, one), one)
			c := one.Sub(cosine)
			c2 := c.Mul(c)
			share := one.Sub(straight).MulAdd(c2.Mul(c2).Mul(c), straight)
			refracted := discriminant.Greater(zero).And(loadGroup8(&now.draw).GreaterEqual(share))
			root := discriminant.Sqrt()
			root = root.Merge(zero.Sub(root), leaving)
			k := minus.MulAdd(dn, root)
			x = k.MulAdd(nx, ratio.Mul(dx)).Merge(rx, refracted).Merge(x, isGlass)
			y = k.MulAdd(ny, ratio.Mul(dy)).Merge(ry, refracted).Merge(y, isGlass)
			z = k.MulAdd(nz, ratio.Mul(dz)).Merge(rz, refracted).Merge(z, isGlass)
			store8(one.Merge(index, isGlass), &now.surface[5])
			store8(one.Merge(inverse, isGlass), &now.surface[6])
			store8(one.Merge(straight, isGlass), &now.surface[7])
		}

		k := ones.x8().Div(z.MulAdd(z, y.MulAdd(y, x.MulAdd(x, tinies.x8()))).Sqrt())
		x, y, z = x.Mul(k), y.Mul(k), z.Mul(k)
		valid := lanes8(f.n - i)
		outward := z.MulAdd(nz, y.MulAdd(ny, x.Mul(nx))).Greater(zeros.x8())
		on := valid & uint(outward.Or(isMatte).Or(isGlass).ToBits())

		ox := x.MulAdd(tMins.x8(), load8(&now.ox))
		oy := y.MulAdd(tMins.x8(), load8(&now.oy))
		oz := z.MulAdd(tMins.x8(), load8(&now.oz))
		r := load8(&now.r).Mul(load8(&now.surface[5]))
		g := load8(&now.g).Mul(load8(&now.surface[6]))
		b := load8(&now.b).Mul(load8(&now.surface[7]))
		path := loadWords8(&now.path).Add(wordOnes.x8())
		state := loadWords8(&now.state)
		if on != valid { // some were absorbed
			pick := newPick8(on)
			ox, oy, oz = compress8(ox, pick), compress8(oy, pick), compress8(oz, pick)
			x, y, z = compress8(x, pick), compress8(y, pick), compress8(z, pick)
			r, g, b = compress8(r, pick), compress8(g, pick), compress8(b, pick)
			path, state = compressWords8(path, pick), compressWords8(state, pick)
		}
		store8(ox, &next.ox)
		store8(oy, &next.oy)
		store8(oz, &next.oz)
		store8(x, &next.dx)
		store8(y, &next.dy)
		store8(z, &next.dz)
		store8(r, &next.r)
		store8(g, &next.g)
		store8(b, &next.b)
		storeWords8(state, &next.state)
		storeWords8(path, &next.path)
		live += count(on)
	}
	f.n = live
	archsimd.ClearAVXUpperBits()
}
