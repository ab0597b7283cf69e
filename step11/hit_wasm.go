//go:build wasm && goexperiment.simd && !purego

package step11

import "simd/archsimd"

// The kernel takes SIMD128 instructions, without which a browser does not load
// the program.
const (
	kernel    = "simd128"
	hasKernel = true
)

// closest is closestGeneric, four spheres at a time.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	n := len(p.cx)
	cx, cy, cz, radiusSq := p.cx[:n:n], p.cy[:n:n], p.cz[:n:n], p.radiusSq[:n:n]
	nbs, discriminants := p.nb[:n:n], p.discriminants[:n:n]
	ox, oy, oz := archsimd.BroadcastFloat32x4(r.Origin.X), archsimd.BroadcastFloat32x4(r.Origin.Y), archsimd.BroadcastFloat32x4(r.Origin.Z)
	dx, dy, dz := archsimd.BroadcastFloat32x4(r.Direction.X), archsimd.BroadcastFloat32x4(r.Direction.Y), archsimd.BroadcastFloat32x4(r.Direction.Z)
	zero := archsimd.BroadcastInt32x4(0)
	clear(p.candidates)
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
			p.candidates[i/64] |= mask << (uint(i) % 64)
		}
	}
	return p.secondPass(tMin, tMax)
}

// lanesOf returns a bit a lane, which wasm has an instruction for and the package no
// method.
func lanesOf(m archsimd.Mask32x4) uint64 {
	b := m.ToInt32x4().ToBits()
	return uint64(b.GetElem(0)&1 | b.GetElem(1)&2 | b.GetElem(2)&4 | b.GetElem(3)&8)
}

func (r *RNG) draw() { r.drawGeneric() }
