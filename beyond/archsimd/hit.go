package archsimd

import (
	"math"
	"math/bits"

	"raysteps/step12"
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
func (t *Tracer) Kernel() string { return t.pass.name }

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

func newFirstPass(w *World, k kernel) *firstPass {
	n := w.Spheres.Len()
	if n == 0 || n > 8 {
		k.few = nil
	}
	c := &w.Spheres
	blocks := newBlocks(c.CenterXPadded(), c.CenterYPadded(), c.CenterZPadded(), c.RadiusSqPadded())
	return &firstPass{kernel: k, blocks: blocks, candidates: make([]uint64, (n+63)/64)}
}

func newBlocks(cx, cy, cz, radiusSq []float32) []block {
	blocks := make([]block, (len(cx)+15)/16)
	for i := range blocks {
		b := &blocks[i]
		for j := range b.radiusSq {
			b.radiusSq[j] = float32(math.Inf(-1)) // what stays so is never hit
		}
		copy(b.cx[:], cx[16*i:])
		copy(b.cy[:], cy[16*i:])
		copy(b.cz[:], cz[16*i:])
		copy(b.radiusSq[:], radiusSq[16*i:])
	}
	return blocks
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
			nb := step12.FMA(coz, dz, step12.FMA(coy, dy, float32(cox*dx)))
			c := step12.FMA(coz, coz, step12.FMA(coy, coy, float32(cox*cox))) - b.radiusSq[j]
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
			i := 64*uint(word) + uint(bits.TrailingZeros64(candidates))
			b := &p.blocks[i/16]
			nb, root := b.nb[i%16], float32(math.Sqrt(float64(b.discriminant[i%16])))
			t := nb - root
			if !(t > tMin) {
				t = nb + root
			}
			if t > tMin && t < tMax {
				closest, tMax = int(i), t
			}
		}
	}
	return closest, tMax
}
