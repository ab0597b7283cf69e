//go:build goexperiment.simd && amd64 && !purego

package wavefront

import (
	"math"
	"math/bits"
	"simd/archsimd"
)

// Each line of these stages is one of the plain stages, for sixteen rays at
// once. Where rays differ, both ways are computed and one is merged into the
// other: v.Merge(w, m) is v in the lanes of m, and w in the others. Lanes after
// the last ray are computed like others, and what they give is not counted.
//
// In Go 1.26 the compiler turns the last operand of v.Or(w).AndNot(x) on 512
// bits into the first; so there is no AndNot here. ClearAVXUpperBits is the
// VZEROUPPER that an assembly function would end with.

func xorshift16(x words16) words16 {
	x = x.Xor(x.ShiftAllLeft(13))
	x = x.Xor(x.ShiftRight(seventeens.x16()))
	return x.Xor(x.ShiftAllLeft(15))
}

func unit16(x ints16) floats16 {
	return x.ConvertToFloat32().MulAdd(toUnit.x16(), halves.x16())
}

func direction16(x words16) (cos, sin floats16) {
	s := x.AsInt32x16().ConvertToFloat32().Mul(toSymmetric.x16())
	s2 := s.Mul(s)
	sin = s2.MulAdd(sin3s.x16(), sin2s.x16()).MulAdd(s2, sin1s.x16()).MulAdd(s2, sin0s.x16()).Mul(s)
	cos = s2.MulAdd(cos4s.x16(), cos3s.x16()).MulAdd(s2, cos2s.x16()).MulAdd(s2, cos1s.x16()).MulAdd(s2, cos0s.x16())
	return cos.AsUint32x16().Xor(x.ShiftAllLeft(31)).AsFloat32x16(), sin
}

func drawAVX512(f *front, b *block) {
	whole := b.width == blockSide && b.height == blockSide
	for sample := range b.n {
		first := sampleSeed(b.seed, b.sample+sample) + b.number
		for i := 0; i < group; i += 16 {
			right, above := laneColumns.x16(), laneRows.x16().Add(spreadWord16(uint32(i/blockSide)))
			path := above.Mul(tileSizes.x16()).Add(right).ShiftAllLeft(depthBits).Add(spreadWord16(b.path))

			// pathSeed
			state := above.Mul(spreadWord16(uint32(b.stride))).Add(right).Add(spreadWord16(first))
			state = state.Xor(state.ShiftRight(sixteens.x16())).Mul(mixAs.x16())
			state = state.Xor(state.ShiftRight(thirteens.x16())).Mul(mixBs.x16())
			state = state.Xor(state.ShiftRight(sixteens.x16())).Max(wordOnes.x16())

			state = xorshift16(state)
			dx := right.Add(spreadWord16(uint32(b.x))).AsInt32x16().ConvertToFloat32().Add(unit16(state.AsInt32x16()))
			state = xorshift16(state)
			dy := above.Add(spreadWord16(uint32(b.y))).AsInt32x16().ConvertToFloat32().Add(unit16(state.AsInt32x16()))

			// inDisk
			angle := xorshift16(state)
			larger := xorshift16(angle)
			state = xorshift16(larger)
			radius := unit16(larger.AsInt32x16().Max(state.AsInt32x16()))
			cos, sin := direction16(angle)
			ox, oy := radius.Mul(cos), radius.Mul(sin)

			n := 16
			if !whole { // at the edge of the picture
				within := spreadInt16(int32(b.width)).Greater(right.AsInt32x16())
				on := uint(within.And(spreadInt16(int32(b.height)).Greater(above.AsInt32x16())).ToBits())
				pick := newPick16(on)
				path, state = compressWords16(path, pick), compressWords16(state, pick)
				ox, oy = compress16(ox, pick), compress16(oy, pick)
				dx, dy = compress16(dx, pick), compress16(dy, pick)
				n = count(on)
			}
			next := f.at(f.n)
			storeWords16(path, &next.path)
			storeWords16(state, &next.state)
			store16(ox, &next.ox)
			store16(oy, &next.oy)
			store16(dx, &next.dx)
			store16(dy, &next.dy)
			f.n += n
		}
	}
	archsimd.ClearAVXUpperBits()
}

func aimAVX512(f *front, c *Camera, from int) {
	l := &c.lanes
	for i := from; i < f.n; i += 16 {
		now := f.at(i)
		across, up := load16(&now.dx), load16(&now.dy)
		lx, ly := load16(&now.ox), load16(&now.oy)
		ox := ly.MulAdd(l.v.x.x16(), lx.Mul(l.u.x.x16()))
		oy := ly.MulAdd(l.v.y.x16(), lx.Mul(l.u.y.x16()))
		oz := ly.MulAdd(l.v.z.x16(), lx.Mul(l.u.z.x16()))
		store16(l.origin.x.x16().Add(ox), &now.ox)
		store16(l.origin.y.x16().Add(oy), &now.oy)
		store16(l.origin.z.x16().Add(oz), &now.oz)

		dx := up.MulAdd(l.vertical.x.x16(), across.MulAdd(l.horizontal.x.x16(), l.corner.x.x16())).Sub(ox)
		dy := up.MulAdd(l.vertical.y.x16(), across.MulAdd(l.horizontal.y.x16(), l.corner.y.x16())).Sub(oy)
		dz := up.MulAdd(l.vertical.z.x16(), across.MulAdd(l.horizontal.z.x16(), l.corner.z.x16())).Sub(oz)
		k := ones.x16().Div(dz.MulAdd(dz, dy.MulAdd(dy, dx.MulAdd(dx, tinies.x16()))).Sqrt())
		store16(dx.Mul(k), &now.dx)
		store16(dy.Mul(k), &now.dy)
		store16(dz.Mul(k), &now.dz)
		store16(ones.x16(), &now.r)
		store16(ones.x16(), &now.g)
		store16(ones.x16(), &now.b)
	}
	archsimd.ClearAVXUpperBits()
}

func cullAVX512(l *lens, b *bundle, list []candidate) int {
	x, y, halfX, halfY, secant := spread16(b.x), spread16(b.y), spread16(b.halfX), spread16(b.halfY), spread16(b.secant)
	zero := zeros.x16()
	n := 0
	for i := 0; i < l.n; i += 16 {
		z, depth, blur := loadPart16(l.z[i:]), loadPart16(l.depth[i:]), loadPart16(l.blur[i:])
		reach := loadPart16(l.reach[i:]).Mul(secant)
		dx := loadPart16(l.x[i:]).Sub(z.Mul(x))
		dy := loadPart16(l.y[i:]).Sub(z.Mul(y))
		outX := dx.Max(zero.Sub(dx)).Greater(depth.MulAdd(halfX, blur).Add(reach))
		outY := dy.Max(zero.Sub(dy)).Greater(depth.MulAdd(halfY, blur).Add(reach))
		for in := lanes16(l.n-i) &^ uint(outX.Or(outY).ToBits()); in != 0; in &= in - 1 {
			list[n] = candidate{uint32(i+bits.TrailingZeros(in)) + 1, math.MaxUint32}
			n++
		}
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func partAVX512(f *front, bounces int) {
	live, ended := 0, 0
	for i := 0; i < f.n; i += 16 {
		now, next := f.at(i), f.at(live)
		valid := lanes16(f.n - i)
		path := loadWords16(&now.path)
		hit := loadWords16(&now.hit)
		sky := uint(hit.AsInt32x16().Equal(wordZeros.x16().AsInt32x16()).ToBits()) & valid
		if sky != 0 {
			end := f.at(ended)
			t := load16(&now.dy).MulAdd(halves.x16(), halves.x16())
			r := load16(&now.r).Mul(t.MulAdd(minusHalves.x16(), ones.x16())).Mul(toFixed.x16()).ConvertToInt32()
			g := load16(&now.g).Mul(t.MulAdd(minusThreeTenths.x16(), ones.x16())).Mul(toFixed.x16()).ConvertToInt32()
			b := load16(&now.b).Mul(toFixed.x16()).ConvertToInt32()
			pixel := path.ShiftRight(depthShifts.x16())
			if sky != valid {
				pick := newPick16(sky)
				r, g, b, pixel = compressInts16(r, pick), compressInts16(g, pick), compressInts16(b, pick), compressWords16(pixel, pick)
			}
			storeInts16(r, &end.endR)
			storeInts16(g, &end.endG)
			storeInts16(b, &end.endB)
			storeWords16(pixel, &end.endPixel)
			ended += count(sky)
		}
		depth := path.And(depthMasks.x16()).AsInt32x16()
		on := valid &^ sky & uint(spreadInt16(int32(bounces)).Greater(depth).ToBits())
		if on == 0 {
			continue
		}
		t := load16(&now.t)
		dx, dy, dz := load16(&now.dx), load16(&now.dy), load16(&now.dz)
		ox := t.MulAdd(dx, load16(&now.ox))
		oy := t.MulAdd(dy, load16(&now.oy))
		oz := t.MulAdd(dz, load16(&now.oz))
		r, g, b := load16(&now.r), load16(&now.g), load16(&now.b)
		state := loadWords16(&now.state)
		if on != valid { // some have ended
			pick := newPick16(on)
			ox, oy, oz = compress16(ox, pick), compress16(oy, pick), compress16(oz, pick)
			dx, dy, dz = compress16(dx, pick), compress16(dy, pick), compress16(dz, pick)
			r, g, b = compress16(r, pick), compress16(g, pick), compress16(b, pick)
			state, path, hit = compressWords16(state, pick), compressWords16(path, pick), compressWords16(hit, pick)
		}
		store16(ox, &next.ox)
		store16(oy, &next.oy)
		store16(oz, &next.oz)
		store16(dx, &next.dx)
		store16(dy, &next.dy)
		store16(dz, &next.dz)
		store16(r, &next.r)
		store16(g, &next.g)
		store16(b, &next.b)
		storeWords16(state, &next.state)
		storeWords16(path, &next.path)
		storeWords16(hit, &next.hit)
		live += count(on)
	}
	f.n, f.ended = live, ended
	archsimd.ClearAVXUpperBits()
}

// ballsAVX512 does inBall for all rays.
func ballsAVX512(f *front) {
	for i := 0; i < f.n; i += 16 {
		now := f.at(i)
		a := xorshift16(loadWords16(&now.state))
		b := xorshift16(a)
		c := xorshift16(b)
		d := xorshift16(c)
		e := xorshift16(d)
		storeWords16(e, &now.state)
		storeGroup16(unit16(a.AsInt32x16()), &now.draw)
		h := a.AsInt32x16().ConvertToFloat32().Mul(toSymmetric.x16())
		cos, sin := direction16(b)
		r := unit16(c.AsInt32x16().Max(d.AsInt32x16()).Max(e.AsInt32x16()))
		w := r.Mul(zeros.x16().Sub(h).MulAdd(h, ones.x16()).Sqrt())
		store16(w.Mul(cos), &now.ball[0])
		store16(w.Mul(sin), &now.ball[1])
		store16(r.Mul(h), &now.ball[2])
	}
}

// lookUpAVX512 does what lookUp does, if there are no more surfaces than lanes.
func lookUpAVX512(f *front, first *[8]spread) {
	for i := 0; i < f.n; i += 16 {
		now := f.at(i)
		hit := loadWords16(&now.hit)
		store16(first[0].x16().Permute(hit), &now.surface[0])
		store16(first[1].x16().Permute(hit), &now.surface[1])
		store16(first[2].x16().Permute(hit), &now.surface[2])
		store16(first[3].x16().Permute(hit), &now.surface[3])
		store16(first[4].x16().Permute(hit), &now.surface[4])
		store16(first[5].x16().Permute(hit), &now.surface[5])
		store16(first[6].x16().Permute(hit), &now.surface[6])
		store16(first[7].x16().Permute(hit), &now.surface[7])
	}
}

func scatterAVX512(f *front, surfaces *surfaces) {
	if len(surfaces.all) <= 16 {
		lookUpAVX512(f, &surfaces.first)
	} else {
		lookUp(f, surfaces)
	}
	ballsAVX512(f)
	live := 0
	for i := 0; i < f.n; i += 16 {
		now, next := f.at(i), f.at(live)
		dx, dy, dz := load16(&now.dx), load16(&now.dy), load16(&now.dz)
		invRadius := load16(&now.surface[3])
		nx := load16(&now.ox).Sub(load16(&now.surface[0])).Mul(invRadius)
		ny := load16(&now.oy).Sub(load16(&now.surface[1])).Mul(invRadius)
		nz := load16(&now.oz).Sub(load16(&now.surface[2])).Mul(invRadius)
		dn := dz.MulAdd(nz, dy.MulAdd(ny, dx.Mul(nx)))
		mirror := dn.Mul(minusTwos.x16())
		rx, ry, rz := mirror.MulAdd(nx, dx), mirror.MulAdd(ny, dy), mirror.MulAdd(nz, dz)
		kind := load16(&now.surface[4])
		isMatte := kind.Equal(mattes.x16())
		isGlass := kind.Equal(glasses.x16())

		// Matte surfaces, and metals.
		fuzz := ones.x16().Merge(kind, isMatte)
		x := fuzz.MulAdd(load16(&now.ball[0]), nx.Merge(rx, isMatte))
		y := fuzz.MulAdd(load16(&now.ball[1]), ny.Merge(ry, isMatte))
		z := fuzz.MulAdd(load16(&now.ball[2]), nz.Merge(rz, isMatte))

		// throughGlass
		if isGlass.ToBits() != 0 {
			zero, one := zeros.x16(), ones.x16()
			index, inverse, straight := load16(&now.surface[5]), load16(&now.surface[6]), load16(&now.surface[7])
			leaving := dn.Greater(zero)
			ratio := index.Merge(inverse, leaving)
			cosine := index.Mul(dn).Merge(zero.Sub(dn), leaving)
			minus := zero.Sub(ratio)
			discriminant := minus.Mul(ratio).MulAdd(zero.Sub(dn).MulAdd(dn, one), one)
			c := one.Sub(cosine)
			c2 := c.Mul(c)
			share := one.Sub(straight).MulAdd(c2.Mul(c2).Mul(c), straight)
			refracted := discriminant.Greater(zero).And(loadGroup16(&now.draw).GreaterEqual(share))
			root := discriminant.Sqrt()
			root = root.Merge(zero.Sub(root), leaving)
			k := minus.MulAdd(dn, root)
			x = k.MulAdd(nx, ratio.Mul(dx)).Merge(rx, refracted).Merge(x, isGlass)
			y = k.MulAdd(ny, ratio.Mul(dy)).Merge(ry, refracted).Merge(y, isGlass)
			z = k.MulAdd(nz, ratio.Mul(dz)).Merge(rz, refracted).Merge(z, isGlass)
			store16(one.Merge(index, isGlass), &now.surface[5])
			store16(one.Merge(inverse, isGlass), &now.surface[6])
			store16(one.Merge(straight, isGlass), &now.surface[7])
		}

		k := ones.x16().Div(z.MulAdd(z, y.MulAdd(y, x.MulAdd(x, tinies.x16()))).Sqrt())
		x, y, z = x.Mul(k), y.Mul(k), z.Mul(k)
		valid := lanes16(f.n - i)
		outward := z.MulAdd(nz, y.MulAdd(ny, x.Mul(nx))).Greater(zeros.x16())
		on := valid & uint(outward.Or(isMatte).Or(isGlass).ToBits())

		ox := x.MulAdd(tMins.x16(), load16(&now.ox))
		oy := y.MulAdd(tMins.x16(), load16(&now.oy))
		oz := z.MulAdd(tMins.x16(), load16(&now.oz))
		r := load16(&now.r).Mul(load16(&now.surface[5]))
		g := load16(&now.g).Mul(load16(&now.surface[6]))
		b := load16(&now.b).Mul(load16(&now.surface[7]))
		path := loadWords16(&now.path).Add(wordOnes.x16())
		state := loadWords16(&now.state)
		if on != valid { // some were absorbed
			pick := newPick16(on)
			ox, oy, oz = compress16(ox, pick), compress16(oy, pick), compress16(oz, pick)
			x, y, z = compress16(x, pick), compress16(y, pick), compress16(z, pick)
			r, g, b = compress16(r, pick), compress16(g, pick), compress16(b, pick)
			path, state = compressWords16(path, pick), compressWords16(state, pick)
		}
		store16(ox, &next.ox)
		store16(oy, &next.oy)
		store16(oz, &next.oz)
		store16(x, &next.dx)
		store16(y, &next.dy)
		store16(z, &next.dz)
		store16(r, &next.r)
		store16(g, &next.g)
		store16(b, &next.b)
		storeWords16(state, &next.state)
		storeWords16(path, &next.path)
		live += count(on)
	}
	f.n = live
	archsimd.ClearAVXUpperBits()
}
