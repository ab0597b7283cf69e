//go:build !purego

package tree

import "golang.org/x/sys/cpu"

const kernel = "avx2"

var hasKernel = cpu.X86.HasAVX2 && cpu.X86.HasFMA

func (p *firstPass) runKernel(r *Ray) { runAVX2(p, r) }

//go:noescape
func runAVX2(p *firstPass, r *Ray)

// draw is drawGeneric, three generators at a time. Every amd64 processor has
// the SSE2 instructions that it takes.
func (r *RNG) draw() { drawSSE(r) }

//go:noescape
func drawSSE(r *RNG)
