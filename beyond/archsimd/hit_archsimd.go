//go:build goexperiment.simd && amd64 && !purego

package archsimd

import (
	"math/bits"
	"simd/archsimd"
)

// What the processor can do.
var (
	has256 = archsimd.X86.AVX2() && archsimd.X86.FMA()
	has512 = has256 && archsimd.X86.AVX512()
	has128 = has256 && written128
)

// run512 takes columns of a multiple of sixteen elements.
func run512(p *firstPass, r *Ray) {
	// With the capacities known too, and groups cut out by three indices, the
	// compiler finds no bounds to check in loads and stores.
	end := len(p.cx)
	cx, cy, cz, radiusSq := p.cx[:end:end], p.cy[:end:end], p.cz[:end:end], p.radiusSq[:end:end]
	nbs, discriminants := p.nb[:end:end], p.discriminants[:end:end]

	ox := archsimd.BroadcastFloat32x16(r.Origin.X)
	oy := archsimd.BroadcastFloat32x16(r.Origin.Y)
	oz := archsimd.BroadcastFloat32x16(r.Origin.Z)
	dx := archsimd.BroadcastFloat32x16(r.Direction.X)
	dy := archsimd.BroadcastFloat32x16(r.Direction.Y)
	dz := archsimd.BroadcastFloat32x16(r.Direction.Z)
	zero := archsimd.BroadcastInt32x16(0)
	candidates, word := p.candidates, uint64(0)
	for i := 0; i <= end-16; i += 16 {
		cox := load16(cx[i : i+16 : i+16]).Sub(ox)
		coy := load16(cy[i : i+16 : i+16]).Sub(oy)
		coz := load16(cz[i : i+16 : i+16]).Sub(oz)
		nb := coz.MulAdd(dz, coy.MulAdd(dy, cox.Mul(dx)))
		c := coz.MulAdd(coz, coy.MulAdd(coy, cox.Mul(cox))).Sub(load16(radiusSq[i : i+16 : i+16]))
		discriminant := nb.Mul(nb).Sub(c)
		// Read as an integer, a float with a clear sign bit is not negative.
		mask := discriminant.AsInt32x16().GreaterEqual(zero).ToBits()
		// A store is several instructions here, and a jump costs less.
		if mask != 0 {
			store16(nb, nbs[i:i+16:i+16])
			store16(discriminant, discriminants[i:i+16:i+16])
			word |= uint64(mask) << (uint(i) % 64)
		}
		if uint(i)%64 == 48 {
			candidates[i/64] = word
			word = 0
		}
	}
	if end%64 != 0 {
		candidates[end/64] = word
	}
	// The SSE instructions of ordinary Go code are slow while the upper parts of
	// the registers are in use.
	archsimd.ClearAVXUpperBits()
}

// run256 takes columns of a multiple of eight elements.
func run256(p *firstPass, r *Ray) {
	end := len(p.cx)
	cx, cy, cz, radiusSq := p.cx[:end:end], p.cy[:end:end], p.cz[:end:end], p.radiusSq[:end:end]
	nbs, discriminants := p.nb[:end:end], p.discriminants[:end:end]

	ox := archsimd.BroadcastFloat32x8(r.Origin.X)
	oy := archsimd.BroadcastFloat32x8(r.Origin.Y)
	oz := archsimd.BroadcastFloat32x8(r.Origin.Z)
	dx := archsimd.BroadcastFloat32x8(r.Direction.X)
	dy := archsimd.BroadcastFloat32x8(r.Direction.Y)
	dz := archsimd.BroadcastFloat32x8(r.Direction.Z)
	zero := archsimd.BroadcastInt32x8(0)
	candidates, word := p.candidates, uint64(0)
	for i := 0; i <= end-8; i += 8 {
		cox := load8(cx[i : i+8 : i+8]).Sub(ox)
		coy := load8(cy[i : i+8 : i+8]).Sub(oy)
		coz := load8(cz[i : i+8 : i+8]).Sub(oz)
		nb := coz.MulAdd(dz, coy.MulAdd(dy, cox.Mul(dx)))
		c := coz.MulAdd(coz, coy.MulAdd(coy, cox.Mul(cox))).Sub(load8(radiusSq[i : i+8 : i+8]))
		discriminant := nb.Mul(nb).Sub(c)
		// AVX2 compares for greater only.
		mask := ^zero.Greater(discriminant.AsInt32x8()).ToBits()
		if mask != 0 {
			store8(nb, nbs[i:i+8:i+8])
			store8(discriminant, discriminants[i:i+8:i+8])
			word |= uint64(mask) << (uint(i) % 64)
		}
		if uint(i)%64 == 56 {
			candidates[i/64] = word
			word = 0
		}
	}
	if end%64 != 0 {
		candidates[end/64] = word
	}
	archsimd.ClearAVXUpperBits()
}

// few256 is closestGeneric for no more than eight spheres: it solves all equations
// at once, as the kernel of step 12 does.
func few256(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	ox := archsimd.BroadcastFloat32x8(r.Origin.X)
	oy := archsimd.BroadcastFloat32x8(r.Origin.Y)
	oz := archsimd.BroadcastFloat32x8(r.Origin.Z)
	dx := archsimd.BroadcastFloat32x8(r.Direction.X)
	dy := archsimd.BroadcastFloat32x8(r.Direction.Y)
	dz := archsimd.BroadcastFloat32x8(r.Direction.Z)
	cox := load8(p.cx[:8:8]).Sub(ox)
	coy := load8(p.cy[:8:8]).Sub(oy)
	coz := load8(p.cz[:8:8]).Sub(oz)
	nb := coz.MulAdd(dz, coy.MulAdd(dy, cox.Mul(dx)))
	c := coz.MulAdd(coz, coy.MulAdd(coy, cox.Mul(cox))).Sub(load8(p.radiusSq[:8:8]))
	discriminant := nb.Mul(nb).Sub(c)
	root := discriminant.Sqrt()
	candidates := ^archsimd.BroadcastInt32x8(0).Greater(discriminant.AsInt32x8()).ToBits()
	// To take a lane out of a register costs more than the way through memory: by
	// Permute, GetLo and GetElem(0) it goes through a register for integers.
	var near, far [8]float32
	store8(nb.Sub(root), near[:])
	store8(nb.Add(root), far[:])
	archsimd.ClearAVXUpperBits()
	closest = -1
	for ; candidates != 0; candidates &= candidates - 1 {
		i := bits.TrailingZeros8(candidates) % 8
		t := near[i]
		if !(t > tMin) {
			t = far[i]
		}
		if t > tMin && t < tMax {
			closest, tMax = i, t
		}
	}
	return closest, tMax
}
