//go:build !purego

package instrumented

import "golang.org/x/sys/cpu"

const kernel = "avx2"

var hasKernel = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// closest is closestGeneric, eight spheres at a time if the processor can. The
// assembly looks at hasKernel: with a second call in it, this function would not
// be inlined.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestAVX2(p, r, tMin, tMax)
}

//go:noescape
func closestAVX2(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)

// draw is drawGeneric, three generators at a time. Every amd64 processor has
// the SSE2 instructions that it takes.
func (r *RNG) draw() { drawSSE(r) }

//go:noescape
func drawSSE(r *RNG)
