//go:build !purego

package experiments

import "unsafe"

// The assembly knows these by their names, as in the steps.
type (
	Vec3      struct{ X, Y, Z float32 }
	Ray       struct{ Origin, Direction Vec3 }
	firstPass struct {
		cx, cy, cz, radiusSq []float32
		candidates           []uint64
		nb, discriminants    []float32
	}
	closest func(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
)

// For the assembler, from go_asm.h.
const (
	rayOrigin    = unsafe.Offsetof(Ray{}.Origin)
	rayDirection = unsafe.Offsetof(Ray{}.Direction)

	_ = rayOrigin + rayDirection // or they were unused, outside of the assembly
)

// The kernels without what their names say.

func sseNothing(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
func sseSecond(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
func sseCopies(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
func avx2Nothing(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
func avx2Second(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
func avx512Nothing(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
func avx512Second(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
