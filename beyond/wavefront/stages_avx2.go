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
	if !surfaces.fit8() {
		lookUp(f, surfaces)
	}
	k, now, next := constantLanes8, at[columns8](f, 0), at[columns8](f, 0)
	live := 0
	for left := f.n; left > 0; left, now = left-8, after(now, 8) {
		height, angle, largest, state := draw8(k, now.state.v)
		ball := inBall8(k, height, angle, largest)
		p, d := vec8{now.ox.v, now.oy.v, now.oz.v}, vec8{now.dx.v, now.dy.v, now.dz.v}
		hit := hits8{surfaces, now, now.hit.v}
		n := p.sub(vec8{hit.number(0), hit.number(1), hit.number(2)}).scale(hit.number(3))
		dn := dot8(d, n)
		reflected := along8(dn.Mul(k.minusTwo.v), n, d)

		kind := hit.number(4)
		isMatte, isGlass := kind.Equal(k.matte.v), kind.Equal(k.glass.v)
		out := fromOpaque8(k.one.v.Merge(kind, isMatte), ball, n, reflected, isMatte)
		if isGlass.ToBits() != 0 {
			draw := unit8(k, height.AsInt32x8())
			bend, ratio, refracted := refract8(k, dn, draw, hit.number(5), hit.number(6), hit.number(7))
			out = throughGlass8(bend, ratio, n, d, reflected, out, refracted, isGlass)
		}

		out = normalize8(k, out)
		valid := lanes8(left)
		outward := dot8(out, n).Greater(k.zero.v)
		on := valid & uint(outward.Or(isMatte).Or(isGlass).ToBits())
		p = along8(k.tMin.v, out, p)
		r := now.r.v.Mul(k.one.v.Merge(hit.number(5), isGlass))
		g := now.g.v.Mul(k.one.v.Merge(hit.number(6), isGlass))
		b := now.b.v.Mul(k.one.v.Merge(hit.number(7), isGlass))
		path := now.path.v.Add(k.wordOne.v)
		if on != valid { // some were absorbed
			pick := newPick8(on)
			p, out = p.pack(pick), out.pack(pick)
			r, g, b = r.Permute(pick), g.Permute(pick), b.Permute(pick)
			path, state = path.Permute(pick), state.Permute(pick)
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

// fit8 reports whether the surfaces fit a register, or have to be looked up.
func (s *surfaces) fit8() bool { return len(s.all) <= 8 }

// hits8 has the surfaces that eight rays hit.
type hits8 struct {
	surfaces *surfaces
	now      *columns8
	hit      words8
}

// number returns a number of each of these surfaces.
func (h hits8) number(i int) floats8 {
	if h.surfaces.fit8() {
		return (*register8[floats8])(unsafe.Pointer(&h.surfaces.first[i])).v.Permute(h.hit)
	}
	return h.now.surface[i].v
}

// draw8 draws what inBall8 takes. The compiler inlines both, but would not inline one
// that did the work of the two.
func draw8(k *constants8, state words8) (height, angle words8, largest ints8, next words8) {
	height = xorshift8(k, state)
	angle = xorshift8(k, height)
	r1 := xorshift8(k, angle)
	r2 := xorshift8(k, r1)
	next = xorshift8(k, r2)
	return height, angle, r1.AsInt32x8().Max(r2.AsInt32x8()).Max(next.AsInt32x8()), next
}

func inBall8(k *constants8, height, angle words8, largest ints8) vec8 {
	h := height.AsInt32x8().ConvertToFloat32().Mul(k.toSymmetric.v)
	cos, sin := direction8(k, angle)
	radius := unit8(k, largest)
	w := radius.Mul(k.zero.v.Sub(h).MulAdd(h, k.one.v).Sqrt())
	return vec8{w.Mul(cos), w.Mul(sin), radius.Mul(h)}
}

// fromOpaque8 returns the directions in which matte surfaces and metals scatter.
func fromOpaque8(fuzz floats8, ball, n, reflected vec8, isMatte mask8) vec8 {
	return vec8{
		fuzz.MulAdd(ball.x, n.x.Merge(reflected.x, isMatte)),
		fuzz.MulAdd(ball.y, n.y.Merge(reflected.y, isMatte)),
		fuzz.MulAdd(ball.z, n.z.Merge(reflected.z, isMatte)),
	}
}

// refract8 returns what throughGlass8 takes, for the same reason as draw8.
func refract8(k *constants8, dn, draw, index, inverted, straight floats8) (
	bend, ratio floats8, refracted mask8,
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

func throughGlass8(bend, ratio floats8, n, d, reflected, out vec8, refracted, isGlass mask8) vec8 {
	return vec8{
		bend.MulAdd(n.x, ratio.Mul(d.x)).Merge(reflected.x, refracted).Merge(out.x, isGlass),
		bend.MulAdd(n.y, ratio.Mul(d.y)).Merge(reflected.y, refracted).Merge(out.y, isGlass),
		bend.MulAdd(n.z, ratio.Mul(d.z)).Merge(reflected.z, refracted).Merge(out.z, isGlass),
	}
}

// vec8 is a vector of each ray. The compiler keeps it in registers. Where a line does
// nothing but call what is inlined, it puts an instruction that does nothing for each call,
// so there is no function here that only merges.
type vec8 struct{ x, y, z floats8 }

func (v vec8) sub(w vec8) vec8 { return vec8{v.x.Sub(w.x), v.y.Sub(w.y), v.z.Sub(w.z)} }

func (v vec8) scale(a floats8) vec8 { return vec8{v.x.Mul(a), v.y.Mul(a), v.z.Mul(a)} }

func (v vec8) pack(pick pick8) vec8 {
	return vec8{v.x.Permute(pick), v.y.Permute(pick), v.z.Permute(pick)}
}

func along8(a floats8, v, w vec8) vec8 {
	return vec8{a.MulAdd(v.x, w.x), a.MulAdd(v.y, w.y), a.MulAdd(v.z, w.z)}
}

func dot8(v, w vec8) floats8 { return v.z.MulAdd(w.z, v.y.MulAdd(w.y, v.x.Mul(w.x))) }

func normalize8(k *constants8, v vec8) vec8 {
	square := v.z.MulAdd(v.z, v.y.MulAdd(v.y, v.x.MulAdd(v.x, k.tiny.v)))
	return v.scale(k.one.v.Div(square.Sqrt()))
}
