//go:build !purego

package avx512

import "golang.org/x/sys/cpu"

// What the processor can do. Of the parts of AVX-512 only the foundation is
// used.
var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F
)

//go:noescape
func closestAVX512(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)

//go:noescape
func closestAVX2(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)

// draw is drawGeneric, three generators at a time. Every amd64 processor has
// the SSE2 instructions that it takes.
func (r *RNG) draw() { drawSSE(r) }

//go:noescape
func drawSSE(r *RNG)
