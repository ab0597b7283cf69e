package archsimd

import (
	"math"
	"math/bits"
)

// kernel is a way to write the hit test.
type kernel struct {
	name string
	run  func(*firstPass, Ray) // the first pass
	// closest for no more than eight spheres, or nil for that of any number
	few func(p *firstPass, r Ray, tMin, tMax float32) (closest int, t float32)
}

// kernels are all that this build and this processor have, the best last. A file that is
// built adds its own when the program starts, so one that is not needs no stand-in.
var kernels = []kernel{{name: "plain", run: (*firstPass).runGeneric}}

func best() kernel { return kernels[len(kernels)-1] }

// Kernel names what computes the hit test: archsimd or simd and the width of its
// registers, or plain Go.
func (t *Tracer) Kernel() string { return t.world.pass.name }

// firstPass is what the hit test reads and writes.
type firstPass struct {
	kernel
	blocks []block
	// A bit a sphere, 1 for a candidate, the first sphere in the lowest bit of the
	// first word.
	candidates []uint64
}

// block has sixteen spheres. In place of the columns of step 12: with arrays of fixed
// lengths in one struct, the compiler needs one pointer to them and checks no bounds.
type block struct {
	cx, cy, cz, radiusSq [16]float32
	// What the first pass leaves for the second of each candidate: the coefficient
	// nb, whose sign does not count if it is 0, and the discriminant. The other
	// elements mean nothing.
	nb, discriminant [16]float32
}

// newFirstPass returns one for n spheres, which are to be set.
func newFirstPass(n int, k kernel) *firstPass {
	if n == 0 || n > 8 {
		k.few = nil
	}
	p := &firstPass{kernel: k, blocks: make([]block, (n+15)/16), candidates: make([]uint64, (n+63)/64)}
	for i := range 16 * len(p.blocks) {
		p.set(i, Vec3{}, float32(math.Inf(-1))) // which is never hit
	}
	return p
}

func (p *firstPass) set(i int, center Vec3, radiusSq float32) {
	b := &p.blocks[i/16]
	b.cx[i%16], b.cy[i%16], b.cz[i%16], b.radiusSq[i%16] = center.X, center.Y, center.Z, radiusSq
}

// closest is the hit test. It returns the index of the sphere that r hits first at a
// distance between tMin and tMax, both exclusive, and the distance; or -1 and tMax.
//
// A point of the ray is on a sphere if its distance from the center is the
// radius: a quadratic equation in t, t² - 2nb·t + c = 0. A first pass over all
// spheres finds out for which of them it may have solutions, and a second solves
// it for those; or one pass does both for eight spheres or fewer.
func (p *firstPass) closest(r Ray, tMin, tMax float32) (closest int, t float32) {
	if p.few != nil {
		return p.few(p, r, tMin, tMax)
	}
	p.run(p, r)
	return p.secondPass(tMin, tMax)
}

// runGeneric is the first pass in plain Go. Candidates are the spheres whose
// discriminant has a clear sign bit, so +0 is one and -0 is not. Whether NaN is
// one depends on the processor; it never leads to a hit.
func (p *firstPass) runGeneric(r Ray) {
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	clear(p.candidates)
	for i := range p.blocks {
		b := &p.blocks[i]
		for j := range b.cx {
			cox := b.cx[j] - ox
			coy := b.cy[j] - oy
			coz := b.cz[j] - oz
			nb := fma(coz, dz, fma(coy, dy, float32(cox*dx)))
			c := fma(coz, coz, fma(coy, coy, float32(cox*cox))) - b.radiusSq[j]
			discriminant := float32(nb*nb) - c
			if math.Float32bits(discriminant)>>31 == 0 {
				b.nb[j], b.discriminant[j] = nb, discriminant
				p.candidates[i/4] |= 1 << (uint(16*i+j) % 64)
			}
		}
	}
}

// secondPass solves the equations of the candidates.
func (p *firstPass) secondPass(tMin, tMax float32) (closest int, t float32) {
	closest = -1
	for word, candidates := range p.candidates {
		// In each turn the lowest bit that is set is the next candidate, and is
		// cleared.
		for ; candidates != 0; candidates &= candidates - 1 {
			i := 64*word + bits.TrailingZeros64(candidates)
			b := &p.blocks[i/16]
			nb, root := b.nb[i%16], sqrt(b.discriminant[i%16])
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
