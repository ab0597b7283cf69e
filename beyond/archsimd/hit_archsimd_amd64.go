//go:build goexperiment.simd && !purego

package archsimd

import "simd/archsimd"

func init() {
	if !archsimd.X86.AVX2() || !archsimd.X86.FMA() {
		return
	}
	kernels = append(kernels, kernel{"archsimd256", run256})
	if archsimd.X86.AVX512() {
		kernels = append(kernels, kernel{"archsimd512", run512})
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

// run256 takes the two halves of a block.
func run256(p *hitTest, r Ray) {
	ox := archsimd.BroadcastFloat32x8(r.Origin.X)
	oy := archsimd.BroadcastFloat32x8(r.Origin.Y)
	oz := archsimd.BroadcastFloat32x8(r.Origin.Z)
	dx := archsimd.BroadcastFloat32x8(-r.Direction.X)
	dy := archsimd.BroadcastFloat32x8(-r.Direction.Y)
	dz := archsimd.BroadcastFloat32x8(-r.Direction.Z)
	zero := archsimd.BroadcastInt32x8(0)
	word, i := uint64(0), uint(0)
	for blocks := p.blocks; len(blocks) > 0; blocks = blocks[1:] {
		b := &blocks[0]
		ocx0 := ox.Sub(load8(b.cx[:8]))
		ocy0 := oy.Sub(load8(b.cy[:8]))
		ocz0 := oz.Sub(load8(b.cz[:8]))
		nb0 := ocz0.MulAdd(dz, ocy0.MulAdd(dy, ocx0.Mul(dx)))
		c0 := ocz0.MulAdd(ocz0, ocy0.MulAdd(ocy0, ocx0.Mul(ocx0))).Sub(load8(b.radiusSq[:8]))
		discriminant0 := nb0.Mul(nb0).Sub(c0)
		store8(nb0, b.nb[:8])
		store8(discriminant0, b.discriminant[:8])

		ocx1 := ox.Sub(load8(b.cx[8:]))
		ocy1 := oy.Sub(load8(b.cy[8:]))
		ocz1 := oz.Sub(load8(b.cz[8:]))
		nb1 := ocz1.MulAdd(dz, ocy1.MulAdd(dy, ocx1.Mul(dx)))
		c1 := ocz1.MulAdd(ocz1, ocy1.MulAdd(ocy1, ocx1.Mul(ocx1))).Sub(load8(b.radiusSq[8:]))
		discriminant1 := nb1.Mul(nb1).Sub(c1)
		store8(nb1, b.nb[8:])
		store8(discriminant1, b.discriminant[8:])

		// AVX2 compares for greater only.
		none := uint64(zero.Greater(discriminant0.AsInt32x8()).ToBits()) | uint64(zero.Greater(discriminant1.AsInt32x8()).ToBits())<<8
		word |= (none ^ 0xFFFF) << (i % 64)
		i += 16
		if i%64 == 0 {
			p.candidates[i/64-1] = word
			word = 0
		}
	}
	if i%64 != 0 {
		p.candidates[i/64] = word
	}
	archsimd.ClearAVXUpperBits()
}
