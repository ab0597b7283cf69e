//go:build !purego

package avx512

import "golang.org/x/sys/cpu"

// What the processor can do. Of the parts of AVX-512 only the foundation is
// used.
var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F
)

// Kernel names what computes the hit test: avx512, avx2, or plain Go.
func (t *Tracer) Kernel() string {
	switch {
	case hasAVX512:
		return "avx512"
	case hasAVX2:
		return "avx2"
	}
	return "plain"
}

// closest is closestGeneric, sixteen spheres at a time if the processor can, or
// eight. The assembly looks at hasAVX512 and hasAVX2: with other calls in it, this
// function would not be inlined.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestAVX512(p, r, tMin, tMax)
}

//go:noescape
func closestAVX512(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)

//go:noescape
func closestAVX2(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
