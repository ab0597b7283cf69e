//go:build !purego

package avx512

import (
	"math"
	"math/bits"
	"unsafe"

	"golang.org/x/sys/cpu"

	"raysteps/beyond/tracing"
)

// Of the parts of AVX-512 only the foundation is used.
var hasAVX512 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasAVX512F

// Where a ray has its three coordinates, for the assembly.
const (
	rayOrigin    = unsafe.Offsetof(tracing.Ray{}.Origin)
	rayDirection = unsafe.Offsetof(tracing.Ray{}.Direction)

	_ = rayOrigin + rayDirection // or they were unused, outside of the assembly
)

// hitTest is that of step 12, but for run. The assembly knows its fields by their names.
type hitTest struct {
	cx, cy, cz, radiusSq []float32
	candidates           []uint64
	nb, discriminants    []float32
}

func newHitTest(s *tracing.SphereSoA) tracing.HitTest {
	n := s.PaddedLen()
	return &hitTest{
		cx: s.CenterXPadded(), cy: s.CenterYPadded(), cz: s.CenterZPadded(), radiusSq: s.RadiusSqPadded(),
		candidates: make([]uint64, (n+63)/64), nb: make([]float32, n), discriminants: make([]float32, n),
	}
}

func (h *hitTest) Closest(r *tracing.Ray, tMin, tMax float32) (closest int, t float32) {
	runAVX512(h, r)
	return h.secondPass(tMin, tMax)
}

// secondPass solves the equations of the candidates.
func (h *hitTest) secondPass(tMin, tMax float32) (closest int, t float32) {
	closest = -1
	for word, candidates := range h.candidates {
		// Each iteration takes the lowest bit that is set, and clears it.
		for ; candidates != 0; candidates &= candidates - 1 {
			i := 64*word + bits.TrailingZeros64(candidates)
			nb, root := h.nb[i], float32(math.Sqrt(float64(h.discriminants[i])))
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

// runAVX512 is the first pass, sixteen spheres at a time.
//
//go:noescape
func runAVX512(h *hitTest, r *tracing.Ray)
