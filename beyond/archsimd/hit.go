package archsimd

import (
	"math"
	"math/bits"
	"unsafe"

	"raysteps/beyond/tracing"
)

// kernel is a way to write the hit test.
type kernel struct {
	name string
	run  func(*hitTest, Ray) // the first pass
	// slot returns where a sphere of 32 is in two blocks, if not in the order of the bits.
	slot func(sphere int) int
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
	spheres int // padded to a multiple of eight
	blocks  []block
	pairs   [][2]block // the same
	lanes   []*lane    // of each sphere, or of what is in its place
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

// lane is a sphere in a block, whose numbers are so far apart.
type lane struct {
	cx           float32
	_            [15]float32
	cy           float32
	_            [15]float32
	cz           float32
	_            [15]float32
	radiusSq     float32
	_            [15]float32
	nb           float32
	_            [15]float32
	discriminant float32
}

func newHitTest(w *World, k kernel) *hitTest {
	c := &w.Spheres
	h := newBlocks(k, c.CenterXPadded(), c.CenterYPadded(), c.CenterZPadded(), c.RadiusSqPadded())
	h.candidates = make([]uint64, (c.Len()+63)/64)
	return h
}

// newBlocks returns a hit test that has no room for candidates yet.
func newBlocks(k kernel, cx, cy, cz, radiusSq []float32) *hitTest {
	pairs := make([][2]block, (len(cx)+31)/32+1) // one more, so that a pointer may move past the last
	h := &hitTest{kernel: k, spheres: len(cx), blocks: unsafe.Slice(&pairs[0][0], (len(cx)+15)/16)}
	h.pairs = pairs[:len(h.blocks)/2]
	for i := range 16 * len(h.blocks) {
		slot := i
		if k.slot != nil && i/32 < len(h.pairs) {
			slot = i/32*32 + k.slot(i%32)
		}
		l := (*lane)(unsafe.Pointer(&h.blocks[slot/16].cx[slot%16]))
		l.radiusSq = float32(math.Inf(-1)) // what stays so is never hit
		if i < len(cx) {
			l.cx, l.cy, l.cz, l.radiusSq = cx[i], cy[i], cz[i], radiusSq[i]
		}
		h.lanes = append(h.lanes, l)
	}
	return h
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
			l := h.lanes[i]
			nb, root := l.nb, float32(math.Sqrt(float64(l.discriminant)))
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
