//go:build goexperiment.simd && amd64 && !purego

package wavefront

import (
	"simd/archsimd"
	"unsafe"
)

// These stages gain next to nothing from sixteen lanes, so both forms have them in
// eight.

func drawLanes(f *front, b *block) {
	k, whole := constantLanes8, b.width == blockSide && b.height == blockSide
	stride, x, y := spreadWord8(uint32(b.stride)), spreadWord8(uint32(b.x)), spreadWord8(uint32(b.y))
	next := at[columns8](f, f.n)
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
			next.path.v, next.state.v, next.dx.v, next.dy.v = path, state, dx, dy
			f.n, next = f.n+n, after(next, n)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// cullLanes puts the numbers of the spheres that a bundle can hit into a list, which
// has room for all and a group more, and returns how many there are.
func cullLanes(l *lens, b *bundle, list []uint32) int {
	k := constantLanes8
	x, y, secant := spread8(b.x), spread8(b.y), spread8(b.secant)
	halfX, halfY := spread8(b.halfX), spread8(b.halfY)
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
		storePart8(list[n:], loadWords8(l.number[i:]).Permute(newPick8(in)))
		n += count(in)
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// lookUp copies the surfaces that the rays hit to columns. It takes eight at a
// time as rows of a square and transposes it: two, then four, then all eight
// numbers of a column come together.
func lookUp(f *front, surfaces *surfaces) {
	now := at[columns8](f, 0)
	for i := 0; i < f.n; i, now = i+8, after(now, 8) {
		hit := (*[8]uint32)(f.hit[i:])
		row := func(k int) archsimd.Int32x8 {
			return *(*ints8)(unsafe.Pointer(&surfaces.all[hit[k]]))
		}
		r0, r1, r2, r3 := row(0), row(1), row(2), row(3)
		r4, r5, r6, r7 := row(4), row(5), row(6), row(7)
		a0, b0 := r0.InterleaveLoGrouped(r1).AsInt64x4(), r0.InterleaveHiGrouped(r1).AsInt64x4()
		a2, b2 := r2.InterleaveLoGrouped(r3).AsInt64x4(), r2.InterleaveHiGrouped(r3).AsInt64x4()
		a4, b4 := r4.InterleaveLoGrouped(r5).AsInt64x4(), r4.InterleaveHiGrouped(r5).AsInt64x4()
		a6, b6 := r6.InterleaveLoGrouped(r7).AsInt64x4(), r6.InterleaveHiGrouped(r7).AsInt64x4()
		c0, c1 := a0.InterleaveLoGrouped(a2), a4.InterleaveLoGrouped(a6)
		d0, d1 := a0.InterleaveHiGrouped(a2), a4.InterleaveHiGrouped(a6)
		e0, e1 := b0.InterleaveLoGrouped(b2), b4.InterleaveLoGrouped(b6)
		g0, g1 := b0.InterleaveHiGrouped(b2), b4.InterleaveHiGrouped(b6)
		now.surface[0].v = lowHalves(c0, c1).AsFloat32x8()
		now.surface[1].v = lowHalves(d0, d1).AsFloat32x8()
		now.surface[2].v = lowHalves(e0, e1).AsFloat32x8()
		now.surface[3].v = lowHalves(g0, g1).AsFloat32x8()
		now.surface[4].v = highHalves(c0, c1).AsFloat32x8()
		now.surface[5].v = highHalves(d0, d1).AsFloat32x8()
		now.surface[6].v = highHalves(e0, e1).AsFloat32x8()
		now.surface[7].v = highHalves(g0, g1).AsFloat32x8()
	}
}

func lowHalves(x, y archsimd.Int64x4) archsimd.Int64x4  { return x.SetHi(y.GetLo()) }
func highHalves(x, y archsimd.Int64x4) archsimd.Int64x4 { return y.SetLo(x.GetHi()) }

// collect does what collectPlain does, for eight paths at a time, which it
// transposes like lookUp.
func collect(f *front, sums *sums) {
	i := 0
	now := at[columns8](f, 0)
	for ; i+8 <= f.ended; i, now = i+8, after(now, 8) {
		r, g, b := now.endR.v, now.endG.v, now.endB.v
		rg, bb := r.InterleaveLoGrouped(g).AsInt64x4(), b.InterleaveLoGrouped(b).AsInt64x4()
		p0, p1 := rg.InterleaveLoGrouped(bb).AsInt32x8(), rg.InterleaveHiGrouped(bb).AsInt32x8()
		rg, bb = r.InterleaveHiGrouped(g).AsInt64x4(), b.InterleaveHiGrouped(b).AsInt64x4()
		p2, p3 := rg.InterleaveLoGrouped(bb).AsInt32x8(), rg.InterleaveHiGrouped(bb).AsInt32x8()
		pixel := (*[8]uint32)(f.endPixel[i:])
		sums.at(pixel[0]).add(p0.GetLo())
		sums.at(pixel[1]).add(p1.GetLo())
		sums.at(pixel[2]).add(p2.GetLo())
		sums.at(pixel[3]).add(p3.GetLo())
		sums.at(pixel[4]).add(p0.GetHi())
		sums.at(pixel[5]).add(p1.GetHi())
		sums.at(pixel[6]).add(p2.GetHi())
		sums.at(pixel[7]).add(p3.GetHi())
	}
	archsimd.ClearAVXUpperBits()
	collectPlain(i, f, sums)
}

func (s *sum) add(color archsimd.Int32x4) {
	row := (*archsimd.Int64x4)(unsafe.Pointer(s))
	*row = row.Add(color.ExtendToInt64())
}
