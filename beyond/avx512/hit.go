package avx512

import (
	"math"
	"math/bits"
)

// firstPass is what the hit test reads and writes. The assembly knows the
// fields by their names.
type firstPass struct {
	// Columns of the spheres, padded to a multiple of eight, each at a multiple
	// of 64 bytes.
	cx, cy, cz, radiusSq []float32
	// What the first pass leaves for the second: a bit a sphere, 1 for a
	// candidate, the first sphere in the lowest bit of the first word; and at the
	// index of each candidate its coefficient nb and its discriminant. The sign of
	// an nb of 0 does not count. The other elements mean nothing.
	candidates        []uint64
	nb, discriminants []float32 // as long as the columns
}

func newFirstPass(s *SphereSoA) *firstPass {
	n := s.PaddedLen()
	return &firstPass{
		cx: s.CenterXPadded(), cy: s.CenterYPadded(), cz: s.CenterZPadded(), radiusSq: s.RadiusSqPadded(),
		candidates: make([]uint64, (n+63)/64), nb: make([]float32, n), discriminants: make([]float32, n),
	}
}

// wideFrom is the number of spheres from which sixteen at a time are faster than
// eight at a time.
//
//lint:ignore U1000 the assembler has it from go_asm.h
const wideFrom = 64

// Kernel names what computes the hit test of many spheres: avx512, avx2, or plain
// Go.
func (t *Tracer) Kernel() string {
	switch {
	case hasAVX512:
		return "avx512"
	case hasAVX2:
		return "avx2"
	}
	return "plain"
}

// closest is closestGeneric, sixteen spheres at a time if there are many and this
// build and the processor can, or eight. The kernels look at wideFrom, hasAVX512
// and hasAVX2: with more calls in it, this function would not be inlined.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestAVX512(p, r, tMin, tMax)
}

// runGeneric is the first pass in plain Go. Candidates are the spheres whose
// discriminant has a clear sign bit, so +0 is one and -0 is not. Whether NaN is
// one depends on the processor; it never leads to a hit.
func (p *firstPass) runGeneric(r *Ray) {
	cx := p.cx
	cy, cz, radiusSq := p.cy[:len(cx)], p.cz[:len(cx)], p.radiusSq[:len(cx)]
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	clear(p.candidates)
	for i := range cx {
		cox := cx[i] - ox
		coy := cy[i] - oy
		coz := cz[i] - oz
		nb := fma(coz, dz, fma(coy, dy, float32(cox*dx)))
		c := fma(coz, coz, fma(coy, coy, float32(cox*cox))) - radiusSq[i]
		discriminant := float32(nb*nb) - c
		if math.Float32bits(discriminant)>>31 == 0 {
			p.nb[i], p.discriminants[i] = nb, discriminant
			p.candidates[i/64] |= 1 << (uint(i) % 64)
		}
	}
}

// closestGeneric is the hit test in plain Go. It returns the index of the sphere
// that r hits first at a distance between tMin and tMax, both exclusive, and the
// distance; or -1 and tMax.
//
// A point of the ray is on a sphere if its distance from the center is the
// radius: a quadratic equation in t, t² - 2nb·t + c = 0. A first pass over all
// spheres finds out for which of them it may have solutions, and a second solves
// it for those.
func closestGeneric(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	p.runGeneric(r)
	return p.secondPass(tMin, tMax)
}

// secondPass solves the equations of the candidates.
func (p *firstPass) secondPass(tMin, tMax float32) (closest int, t float32) {
	closest = -1
	for word, candidates := range p.candidates {
		// In each turn the lowest bit that is set is the next candidate, and is
		// cleared.
		for ; candidates != 0; candidates &= candidates - 1 {
			i := 64*word + bits.TrailingZeros64(candidates)
			nb, root := p.nb[i], sqrt(p.discriminants[i])
			t := nb - root
			if !(t > tMin) {
				t = nb + root
			}
			if t > tMin && t < tMax {
				closest, tMax = i, t
			}
		}
	}
	return closest, tMax
}

// fma returns x*y + z, rounded once. The product of two float32 is exact in
// float64. Their sum with z may not be, and rounding it to float64 and again to
// float32 could give a neighbor of the right result. So the sum is rounded to
// odd in between: if it is not exact and its last bit is 0, it becomes the
// neighbor on the side of the error, whose last bit is 1 (Boldo and Melquiond
// 2008).
func fma(x, y, z float32) float32 {
	p, w := float64(x)*float64(y), float64(z)
	s := p + w
	// The error of the sum, exactly (Knuth's TwoSum).
	v := s - p
	e := (p - (s - v)) + (w - v)
	if bits := math.Float64bits(s); bits&1 == 0 && (e > 0 || e < 0) {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}
