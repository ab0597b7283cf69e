//go:build goexperiment.simd && !purego

package archsimd

import (
	"simd/archsimd"
	"unsafe"
)

func init() {
	if !archsimd.X86.AVX2() || !archsimd.X86.FMA() {
		return
	}
	kernels = append(kernels, kernel{"archsimd256", run256, slot256})
	if archsimd.X86.AVX512() {
		kernels = append(kernels, kernel{"archsimd512", run512, nil})
	}
}

// run512 is the first pass, sixteen spheres at a time.
func run512(p *hitTest, r Ray) {
	ox := archsimd.BroadcastFloat32x16(r.Origin.X)
	oy := archsimd.BroadcastFloat32x16(r.Origin.Y)
	oz := archsimd.BroadcastFloat32x16(r.Origin.Z)
	// As in step 12 a column is subtracted from the origin, since an instruction can
	// take from memory only what it subtracts, and the sign of the direction is turned.
	dx := archsimd.BroadcastFloat32x16(-r.Direction.X)
	dy := archsimd.BroadcastFloat32x16(-r.Direction.Y)
	dz := archsimd.BroadcastFloat32x16(-r.Direction.Z)
	zero := archsimd.BroadcastInt32x16(0)
	word, i := uint64(0), uint(0)
	// Taken from the front, a block is a pointer, and what is in it at fixed offsets.
	for blocks := p.blocks; len(blocks) > 0; blocks = blocks[1:] {
		b := &blocks[0]
		ocx := ox.Sub(load16(b.cx[:]))
		ocy := oy.Sub(load16(b.cy[:]))
		ocz := oz.Sub(load16(b.cz[:]))
		nb := ocz.MulAdd(dz, ocy.MulAdd(dy, ocx.Mul(dx)))
		c := ocz.MulAdd(ocz, ocy.MulAdd(ocy, ocx.Mul(ocx))).Sub(load16(b.radiusSq[:]))
		discriminant := nb.Mul(nb).Sub(c)
		// Read as an integer, a float with a clear sign bit is not negative.
		mask := discriminant.AsInt32x16().GreaterEqual(zero).ToBits()
		store16(nb, b.nb[:])
		store16(discriminant, b.discriminant[:])
		word |= uint64(mask) << (i % 64)
		i += 16
		if i%64 == 0 {
			p.candidates[i/64-1] = word
			word = 0
		}
	}
	if i%64 != 0 {
		p.candidates[i/64] = word
	}
	// The SSE instructions of ordinary Go code are slow while the upper parts of
	// the registers are in use.
	archsimd.ClearAVXUpperBits()
}

// block256 is a block as run256 sees it: in halves, which fit a register.
type block256 struct{ cx, cy, cz, radiusSq, nb, discriminant halves }

type halves struct{ lo, hi archsimd.Float32x8 }

// run256 is the first pass, two blocks at a time, and the last one by halves.
func run256(p *hitTest, r Ray) {
	ox, dx := archsimd.BroadcastFloat32x8(r.Origin.X), archsimd.BroadcastFloat32x8(-r.Direction.X)
	oy, dy := archsimd.BroadcastFloat32x8(r.Origin.Y), archsimd.BroadcastFloat32x8(-r.Direction.Y)
	oz, dz := archsimd.BroadcastFloat32x8(r.Origin.Z), archsimd.BroadcastFloat32x8(-r.Direction.Z)
	word, i := uint64(0), uint(0)
	// A pointer that moves along costs less than a slice that is cut.
	pair := (*[2]block256)(unsafe.Pointer(unsafe.SliceData(p.pairs)))
	for range len(p.pairs) {
		a, b := &pair[0], &pair[1]
		pair = (*[2]block256)(unsafe.Add(unsafe.Pointer(pair), unsafe.Sizeof(*pair)))
		nb0, d0 := group256(ox, oy, oz, dx, dy, dz, a.cx.lo, a.cy.lo, a.cz.lo, a.radiusSq.lo)
		a.nb.lo, a.discriminant.lo = nb0, d0
		nb1, d1 := group256(ox, oy, oz, dx, dy, dz, a.cx.hi, a.cy.hi, a.cz.hi, a.radiusSq.hi)
		a.nb.hi, a.discriminant.hi = nb1, d1
		nb2, d2 := group256(ox, oy, oz, dx, dy, dz, b.cx.lo, b.cy.lo, b.cz.lo, b.radiusSq.lo)
		b.nb.lo, b.discriminant.lo = nb2, d2
		nb3, d3 := group256(ox, oy, oz, dx, dy, dz, b.cx.hi, b.cy.hi, b.cz.hi, b.radiusSq.hi)
		b.nb.hi, b.discriminant.hi = nb3, d3
		word |= uint64(^signs256(d0, d1, d2, d3)) << (i % 64)
		i += 32
		if i%64 == 0 {
			p.candidates[i/64-1] = word
			word = 0
		}
	}
	if len(p.blocks)%2 != 0 {
		b := (*block256)(unsafe.Pointer(&p.blocks[len(p.blocks)-1]))
		var zero archsimd.Int32x8
		nb, d := group256(ox, oy, oz, dx, dy, dz, b.cx.lo, b.cy.lo, b.cz.lo, b.radiusSq.lo)
		b.nb.lo, b.discriminant.lo = nb, d
		word |= uint64(^zero.Greater(d.AsInt32x8()).ToBits()) << (i % 64)
		if uint(p.spheres) > i+8 {
			nb, d := group256(ox, oy, oz, dx, dy, dz, b.cx.hi, b.cy.hi, b.cz.hi, b.radiusSq.hi)
			b.nb.hi, b.discriminant.hi = nb, d
			word |= uint64(^zero.Greater(d.AsInt32x8()).ToBits()) << (i%64 + 8)
		}
		i += 16
	}
	if i%64 != 0 {
		p.candidates[i/64] = word
	}
	archsimd.ClearAVXUpperBits()
}

// group256 is GROUP of step 12.
func group256(
	ox, oy, oz, dx, dy, dz, cx, cy, cz, radiusSq archsimd.Float32x8,
) (nb, discriminant archsimd.Float32x8) {
	ocx, ocy, ocz := ox.Sub(cx), oy.Sub(cy), oz.Sub(cz)
	nb = ocz.MulAdd(dz, ocy.MulAdd(dy, ocx.Mul(dx)))
	c := ocz.MulAdd(ocz, ocy.MulAdd(ocy, ocx.Mul(ocx))).Sub(radiusSq)
	return nb, nb.Mul(nb).Sub(c)
}

// signs256 returns the signs of 32 numbers in the order of slot256. Their highest bytes come
// together in one vector, so one comparison is for all: no method collects signs alone. AVX2
// compares for greater only.
func signs256(d0, d1, d2, d3 archsimd.Float32x8) uint32 {
	lo := d0.AsInt32x8().SaturateToInt16ConcatGrouped(d1.AsInt32x8()).AsInt8x32()
	hi := d2.AsInt32x8().SaturateToInt16ConcatGrouped(d3.AsInt32x8()).AsInt8x32()
	toLo := *(*archsimd.Int8x32)(unsafe.Pointer(&oddBytes[0]))
	toHi := *(*archsimd.Int8x32)(unsafe.Pointer(&oddBytes[1]))
	var zero archsimd.Int8x32
	return zero.Greater(lo.PermuteOrZeroGrouped(toLo).Or(hi.PermuteOrZeroGrouped(toHi))).ToBits()
}

// oddBytes has the numbers of every second byte of 16, twice: for the lower half and for the
// upper half. What is negative becomes 0.
var oddBytes = func() (bytes [2][32]int8) {
	for i := range 32 {
		bytes[0][i], bytes[1][i] = int8(i%16*2+1), int8(i%16*2-15)
		if i%16 >= 8 {
			bytes[0][i] = -1
		}
	}
	return bytes
}()

// slot256 returns where a sphere is among 32.
func slot256(sphere int) int {
	half, lanes, element := sphere/4%4, sphere/16, sphere%4
	return 8*half + 4*lanes + element
}
