//go:build !purego

package experiments

import "unsafe"

// The assembly knows these by their names, as in the steps.
type (
	Vec3    struct{ X, Y, Z float32 }
	Ray     struct{ Origin, Direction Vec3 }
	HitTest struct {
		cx, cy, cz, radiusSq []float32
		Candidates           []uint64
		nb, discriminants    []float32
	}
	firstPass func(h *HitTest, r *Ray)
)

// For the assembler, from go_asm.h.
const (
	rayOrigin    = unsafe.Offsetof(Ray{}.Origin)
	rayDirection = unsafe.Offsetof(Ray{}.Direction)

	_ = rayOrigin + rayDirection // or they were unused, outside of the assembly
)

// The kernels of the steps, as they are.

func sseKernel(h *HitTest, r *Ray)
func avx2Kernel(h *HitTest, r *Ray)
func avx512Kernel(h *HitTest, r *Ray)

// That of SSE with a destination of its own for each product, and so without copies.
func sseUncopied(h *HitTest, r *Ray)
