package archsimd

import (
	"math"
	"math/bits"

	"raysteps/beyond/tracing"
)

// kernel is a way to write the hit test.
type kernel struct {
	name string
	run  func(*hitTest, Ray) // the first pass
}

// kernels are all that this build and this processor have, the best last. A file that is
// built adds its own when the program starts, so one that is not needs no stand-in.
var kernels = []kernel{{name: "plain", run: (*hitTest).runGeneric}}

func best() kernel { return kernels[len(kernels)-1] }

// Kernel names what computes the hit test: archsimd or simd and the width of its
// registers, or plain Go.
func (t *Tracer) Kernel() string { return t.kernel.name }

// hitTest is that of step 12, in blocks.
type hitTest struct {
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

func newHitTest(w *World, k kernel) *hitTest {
	n := w.Spheres.Len()
	c := &w.Spheres
	blocks := newBlocks(c.CenterXPadded(), c.CenterYPadded(), c.CenterZPadded(), c.RadiusSqPadded())
	return &hitTest{kernel: k, blocks: blocks, candidates: make([]uint64, (n+63)/64)}
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

// Closest returns the index of the sphere that r hits first at a distance between tMin
// and tMax, both exclusive, and the distance; or -1 and tMax.
func (h *hitTest) Closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	h.run(h, *r)
	return h.secondPass(tMin, tMax)
}

// runGeneric is the first pass in plain Go. Candidates are the spheres whose
// discriminant has a clear sign bit, so +0 is one and -0 is not. Whether NaN is
// one depends on the processor; it never leads to a hit.
func (h *hitTest) runGeneric(r Ray) {
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	clear(h.candidates)
	for i := range h.blocks {
		b := &h.blocks[i]
		for j := range b.cx {
			cox := b.cx[j] - ox
			coy := b.cy[j] - oy
			coz := b.cz[j] - oz
			nb := tracing.FMA(coz, dz, tracing.FMA(coy, dy, float32(cox*dx)))
			c := tracing.FMA(coz, coz, tracing.FMA(coy, coy, float32(cox*cox))) - b.radiusSq[j]
			discriminant := float32(nb*nb) - c
			if math.Float32bits(discriminant)>>31 == 0 {
				b.nb[j], b.discriminant[j] = nb, discriminant
				h.candidates[i/4] |= 1 << (uint(16*i+j) % 64)
			}
		}
	}
}

// secondPass solves the equations of the candidates.
func (h *hitTest) secondPass(tMin, tMax float32) (closest int, t float32) {
	closest = -1
	for word, candidates := range h.candidates {
		// Each iteration takes the lowest bit that is set, and clears it.
		for ; candidates != 0; candidates &= candidates - 1 {
			i := 64*uint(word) + uint(bits.TrailingZeros64(candidates))
			b := &h.blocks[i/16]
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
