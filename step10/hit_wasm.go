//go:build wasm && goexperiment.simd && !purego

package step10

import "simd/archsimd"

// Kernel names what computes the first pass: SIMD128 instructions, without which a
// browser does not load the program.
func (t *Tracer) Kernel() string { return "simd128" }

// run is the first pass over all spheres, four at a time.
func (h *HitTest) run(r *Ray) {
	n := len(h.cx)
	cx, cy, cz, radiusSq := h.cx[:n:n], h.cy[:n:n], h.cz[:n:n], h.radiusSq[:n:n]
	nbs, discriminants := h.nb[:n:n], h.discriminants[:n:n]
	ox := archsimd.BroadcastFloat32x4(r.Origin.X)
	oy := archsimd.BroadcastFloat32x4(r.Origin.Y)
	oz := archsimd.BroadcastFloat32x4(r.Origin.Z)
	dx := archsimd.BroadcastFloat32x4(r.Direction.X)
	dy := archsimd.BroadcastFloat32x4(r.Direction.Y)
	dz := archsimd.BroadcastFloat32x4(r.Direction.Z)
	zero := archsimd.BroadcastInt32x4(0)
	clear(h.Candidates)
	for i := 0; i <= n-4; i += 4 {
		cox := archsimd.LoadFloat32x4(cx[i:]).Sub(ox)
		coy := archsimd.LoadFloat32x4(cy[i:]).Sub(oy)
		coz := archsimd.LoadFloat32x4(cz[i:]).Sub(oz)
		nb := cox.Mul(dx).Add(coy.Mul(dy)).Add(coz.Mul(dz))
		c := cox.Mul(cox).Add(coy.Mul(coy)).Add(coz.Mul(coz)).Sub(archsimd.LoadFloat32x4(radiusSq[i:]))
		discriminant := nb.Mul(nb).Sub(c)
		// A sign bit that is clear makes a number of the same bits that is not negative.
		if mask := lanesOf(discriminant.ToBits().BitsToInt32().GreaterEqual(zero)); mask != 0 {
			nb.Store(nbs[i:])
			discriminant.Store(discriminants[i:])
			h.Candidates[i/64] |= mask << (uint(i) % 64)
		}
	}
}

// lanesOf returns a bit a lane, which wasm has an instruction for and the package no
// method.
func lanesOf(m archsimd.Mask32x4) uint64 {
	b := m.ToInt32x4().ToBits()
	return uint64(b.GetElem(0)&1 | b.GetElem(1)&2 | b.GetElem(2)&4 | b.GetElem(3)&8)
}
