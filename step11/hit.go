package step11

import (
	"math"
	"math/bits"
)

// HitTest finds the sphere that a ray hits first.
type HitTest struct {
	// Columns of the spheres, padded to a multiple of eight, each at a multiple
	// of 64 bytes.
	cx, cy, cz, radiusSq []float32
	// What the first pass leaves for the second: a bit a sphere, 1 for a candidate,
	// the first sphere in the lowest bit of the first word; and at the index of each
	// candidate its nb and its discriminant.
	Candidates        []uint64
	nb, discriminants []float32 // as long as the columns
}

func NewHitTest(s *SphereSoA) *HitTest {
	n := s.PaddedLen()
	return &HitTest{
		cx: s.CenterXPadded(), cy: s.CenterYPadded(), cz: s.CenterZPadded(), radiusSq: s.RadiusSqPadded(),
		Candidates: make([]uint64, (n+63)/64), nb: make([]float32, n), discriminants: make([]float32, n),
	}
}

// Closest returns the index of the sphere that r hits first at a distance between
// tMin and tMax, both exclusive, and the distance; or -1 and tMax.
//
// A point of the ray is on a sphere if its distance from the center is the radius: a
// quadratic equation in t, t² - 2nb·t + c = 0; nb is step 9's b, negated. The first
// pass, the method run, finds the spheres for which it may have solutions, and the
// second solves it for those.
func (h *HitTest) Closest(r *Ray, tMin, tMax float32) (closest int, distance float32) {
	h.run(r)
	return h.secondPass(tMin, tMax)
}

// runGeneric is run in plain Go. Candidates are the spheres whose discriminant has a
// clear sign bit, so +0 is one and -0 is not. Whether NaN is one depends on the
// processor; it never leads to a hit.
func (h *HitTest) runGeneric(r *Ray) {
	cx := h.cx
	cy, cz, radiusSq := h.cy[:len(cx)], h.cz[:len(cx)], h.radiusSq[:len(cx)]
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	clear(h.Candidates)
	for i := range cx {
		cox := cx[i] - ox
		coy := cy[i] - oy
		coz := cz[i] - oz
		nb := float32(cox*dx) + float32(coy*dy) + float32(coz*dz)
		c := float32(cox*cox) + float32(coy*coy) + float32(coz*coz) - radiusSq[i]
		discriminant := float32(nb*nb) - c
		if math.Float32bits(discriminant)>>31 == 0 {
			h.nb[i], h.discriminants[i] = nb, discriminant
			h.Candidates[i/64] |= 1 << (uint(i) % 64)
		}
	}
}

// secondPass solves the equations of the candidates.
func (h *HitTest) secondPass(tMin, tMax float32) (closest int, distance float32) {
	closest = -1
	for word, candidates := range h.Candidates {
		// Each iteration takes the lowest bit that is set, and clears it.
		for ; candidates != 0; candidates &= candidates - 1 {
			i := 64*word + bits.TrailingZeros64(candidates)
			nb, root := h.nb[i], sqrt(h.discriminants[i])
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
