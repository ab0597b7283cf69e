//go:build !purego

package avx512

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"raysteps/step12"
)

// Of the parts of AVX-512 only the foundation is used.
var hasAVX512 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasAVX512F

// What the assembly knows by name: the fields, and where a ray has its three
// coordinates.
type firstPass step12.FirstPass

const (
	rayOrigin    = unsafe.Offsetof(Ray{}.Origin)
	rayDirection = unsafe.Offsetof(Ray{}.Direction)

	_ = rayOrigin + rayDirection // or they were unused, outside of the assembly
)

// closest is that of step 12, sixteen spheres at a time if there are many and the
// processor can.
func closest(p *step12.FirstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestAVX512((*firstPass)(p), r, tMin, tMax)
}

//go:noescape
func closestAVX512(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
