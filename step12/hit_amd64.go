//go:build !purego

package step12

import "golang.org/x/sys/cpu"

var hasKernel = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// Kernel names what computes the hit test: avx2, or plain Go.
func (t *Tracer) Kernel() string {
	if hasKernel {
		return "avx2"
	}
	return "plain"
}

// closestKernel is closestGeneric, eight spheres at a time. The processor must
// have AVX2 and FMA.
func (p *firstPass) closestKernel(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestAVX2(p, r, tMin, tMax)
}

//go:noescape
func closestAVX2(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
