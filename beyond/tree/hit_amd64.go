//go:build !purego

package tree

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// Kernel names what computes the first pass: avx2, or plain Go.
func (t *Tracer) Kernel() string {
	if hasAVX2 {
		return "avx2"
	}
	return "plain"
}

// run is runGeneric, eight spheres at a time if the processor can.
func (p *firstPass) run(r *Ray) {
	if hasAVX2 {
		runAVX2(p, r)
	} else {
		p.runGeneric(r)
	}
}

//go:noescape
func runAVX2(p *firstPass, r *Ray)

// draw is drawGeneric, three generators at a time. Every amd64 processor has
// the SSE2 instructions that it takes.
func (r *RNG) draw() { drawSSE(r) }

//go:noescape
func drawSSE(r *RNG)
