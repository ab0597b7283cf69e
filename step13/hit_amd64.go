//go:build !purego

package step13

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// Kernel names what computes the hit test: avx2, or plain Go.
func (t *Tracer) Kernel() string {
	if hasAVX2 {
		return "avx2"
	}
	return "plain"
}

// closest is closestGeneric, eight spheres at a time if the processor can. The
// assembly looks at hasAVX2: with a second call in it, this function would not
// be inlined.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestAVX2(p, r, tMin, tMax)
}

//go:noescape
func closestAVX2(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
