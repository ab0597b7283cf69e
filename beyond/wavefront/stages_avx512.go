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

func aimAVX512(f *front, c *Camera, from int) {
	k, l := constantLanes16, (*cameraLanes[register16[floats16]])(unsafe.Pointer(&c.lanes))
	now := at[columns16](f, from)
	for left := f.n - from; left > 0; left, now = left-16, after(now, 16) {
		// pathSeed
		state := now.state.v
		state = state.Xor(state.ShiftRight(k.sixteen.v)).Mul(k.mixA.v)
		state = state.Xor(state.ShiftRight(k.thirteen.v)).Mul(k.mixB.v)
		state = state.Xor(state.ShiftRight(k.sixteen.v)).Max(k.wordOne.v)

		state = xorshift16(k, state)
		across := now.dx.v.Add(unit16(k, state.AsInt32x16()))
		state = xorshift16(k, state)
		up := now.dy.v.Add(unit16(k, state.AsInt32x16()))

		// inDisk
		angle := xorshift16(k, state)
		larger := xorshift16(k, angle)
		state = xorshift16(k, larger)
		now.state.v = state
		radius := unit16(k, larger.AsInt32x16().Max(state.AsInt32x16()))
		cos, sin := direction16(k, angle)
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

func partAVX512(f *front, bounces int) {
	k, depths := constantLanes16, spreadInt16(int32(bounces))
	now, next, end := at[columns16](f, 0), at[columns16](f, 0), at[columns16](f, 0)
	live, ended := 0, 0
	for left := f.n; left > 0; left, now = left-16, after(now, 16) {
		valid, path, hit := lanes16(left), now.path.v, now.hit.v
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
			end.endR.v, end.endG.v, end.endB.v, end.endPixel.v = r, g, b, pixel
			n := count(sky)
			ended, end = ended+n, after(end, n)
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

func scatterAVX512(f *front, surfaces *surfaces) {
	if !surfaces.fit16() {
		lookUp(f, surfaces)
	}
	k, now, next := constantLanes16, at[columns16](f, 0), at[columns16](f, 0)
	live := 0
	for left := f.n; left > 0; left, now = left-16, after(now, 16) {
		height, angle, largest, state := draw16(k, now.state.v)
		ball := inBall16(k, height, angle, largest)
		p, d := vec16{now.ox.v, now.oy.v, now.oz.v}, vec16{now.dx.v, now.dy.v, now.dz.v}
		hit := hits16{surfaces, now, now.hit.v}
		n := p.sub(vec16{hit.number(0), hit.number(1), hit.number(2)}).scale(hit.number(3))
		dn := dot16(d, n)
		reflected := along16(dn.Mul(k.minusTwo.v), n, d)

		kind := hit.number(4)
		isMatte, isGlass := kind.Equal(k.matte.v), kind.Equal(k.glass.v)
		out := fromOpaque16(k.one.v.Merge(kind, isMatte), ball, n, reflected, isMatte)
		if isGlass.ToBits() != 0 {
			draw := unit16(k, height.AsInt32x16())
			bend, ratio, refracted := refract16(k, dn, draw, hit.number(5), hit.number(6), hit.number(7))
			out = throughGlass16(bend, ratio, n, d, reflected, out, refracted, isGlass)
		}

		out = normalize16(k, out)
		valid := lanes16(left)
		outward := dot16(out, n).Greater(k.zero.v)
		on := valid & uint(outward.Or(isMatte).Or(isGlass).ToBits())
		p = along16(k.tMin.v, out, p)
		r := now.r.v.Mul(k.one.v.Merge(hit.number(5), isGlass))
		g := now.g.v.Mul(k.one.v.Merge(hit.number(6), isGlass))
		b := now.b.v.Mul(k.one.v.Merge(hit.number(7), isGlass))
		path := now.path.v.Add(k.wordOne.v)
		if on != valid { // some were absorbed
			pick := newPick16(on)
			p, out = p.pack(pick), out.pack(pick)
			r, g, b = r.Compress(pick), g.Compress(pick), b.Compress(pick)
			path, state = path.Compress(pick), state.Compress(pick)
		}
		next.ox.v, next.oy.v, next.oz.v = p.x, p.y, p.z
		next.dx.v, next.dy.v, next.dz.v = out.x, out.y, out.z
		next.r.v, next.g.v, next.b.v = r, g, b
		next.state.v, next.path.v = state, path
		live, next = live+count(on), after(next, count(on))
	}
	f.n = live
	archsimd.ClearAVXUpperBits()
}

// fit16 reports whether the surfaces fit a register, or have to be looked up.
func (s *surfaces) fit16() bool { return len(s.all) <= 16 }

// hits16 has the surfaces that sixteen rays hit.
type hits16 struct {
	surfaces *surfaces
	now      *columns16
	hit      words16
}

// number returns a number of each of these surfaces.
func (h hits16) number(i int) floats16 {
	if h.surfaces.fit16() {
		return (*register16[floats16])(unsafe.Pointer(&h.surfaces.first[i])).v.Permute(h.hit)
	}
	return h.now.surface[i].v
}

// draw16 draws what inBall16 takes. The compiler inlines both, but would not inline one
// that did the work of the two.
func draw16(k *constants16, state words16) (height, angle words16, largest ints16, next words16) {
	height = xorshift16(k, state)
	angle = xorshift16(k, height)
	r1 := xorshift16(k, angle)
	r2 := xorshift16(k, r1)
	next = xorshift16(k, r2)
	return height, angle, r1.AsInt32x16().Max(r2.AsInt32x16()).Max(next.AsInt32x16()), next
}

func inBall16(k *constants16, height, angle words16, largest ints16) vec16 {
	h := height.AsInt32x16().ConvertToFloat32().Mul(k.toSymmetric.v)
	cos, sin := direction16(k, angle)
	radius := unit16(k, largest)
	w := radius.Mul(k.zero.v.Sub(h).MulAdd(h, k.one.v).Sqrt())
	return vec16{w.Mul(cos), w.Mul(sin), radius.Mul(h)}
}

// fromOpaque16 returns the directions in which matte surfaces and metals scatter.
func fromOpaque16(fuzz floats16, ball, n, reflected vec16, isMatte mask16) vec16 {
	return vec16{
		fuzz.MulAdd(ball.x, n.x.Merge(reflected.x, isMatte)),
		fuzz.MulAdd(ball.y, n.y.Merge(reflected.y, isMatte)),
		fuzz.MulAdd(ball.z, n.z.Merge(reflected.z, isMatte)),
	}
}

// refract16 returns what throughGlass16 takes, for the same reason as draw16.
func refract16(k *constants16, dn, draw, index, inverted, straight floats16) (
	bend, ratio floats16, refracted mask16,
) {
	zero, one := k.zero.v, k.one.v
	leaving := dn.Greater(zero)
	ratio = index.Merge(inverted, leaving)
	cosine := index.Mul(dn).Merge(zero.Sub(dn), leaving)
	minus := zero.Sub(ratio)
	discriminant := minus.Mul(ratio).MulAdd(zero.Sub(dn).MulAdd(dn, one), one)
	c := one.Sub(cosine)
	c2 := c.Mul(c)
	share := one.Sub(straight).MulAdd(c2.Mul(c2).Mul(c), straight)
	refracted = discriminant.Greater(zero).And(draw.GreaterEqual(share))
	root := discriminant.Sqrt()
	// The other way round the compiler would take the root twice.
	root = zero.Sub(root).Merge(root, dn.LessEqual(zero))
	return minus.MulAdd(dn, root), ratio, refracted
}

func throughGlass16(bend, ratio floats16, n, d, reflected, out vec16, refracted, isGlass mask16) vec16 {
	return vec16{
		bend.MulAdd(n.x, ratio.Mul(d.x)).Merge(reflected.x, refracted).Merge(out.x, isGlass),
		bend.MulAdd(n.y, ratio.Mul(d.y)).Merge(reflected.y, refracted).Merge(out.y, isGlass),
		bend.MulAdd(n.z, ratio.Mul(d.z)).Merge(reflected.z, refracted).Merge(out.z, isGlass),
	}
}

// vec16 is a vector of each ray. The compiler keeps it in registers. Where a line does
// nothing but call what is inlined, it puts an instruction that does nothing for each call,
// so there is no function here that only merges.
type vec16 struct{ x, y, z floats16 }

func (v vec16) sub(w vec16) vec16 { return vec16{v.x.Sub(w.x), v.y.Sub(w.y), v.z.Sub(w.z)} }

func (v vec16) scale(a floats16) vec16 { return vec16{v.x.Mul(a), v.y.Mul(a), v.z.Mul(a)} }

func (v vec16) pack(pick pick16) vec16 {
	return vec16{v.x.Compress(pick), v.y.Compress(pick), v.z.Compress(pick)}
}

func along16(a floats16, v, w vec16) vec16 {
	return vec16{a.MulAdd(v.x, w.x), a.MulAdd(v.y, w.y), a.MulAdd(v.z, w.z)}
}

func dot16(v, w vec16) floats16 { return v.z.MulAdd(w.z, v.y.MulAdd(w.y, v.x.Mul(w.x))) }

func normalize16(k *constants16, v vec16) vec16 {
	square := v.z.MulAdd(v.z, v.y.MulAdd(v.y, v.x.MulAdd(v.x, k.tiny.v)))
	return v.scale(k.one.v.Div(square.Sqrt()))
}
