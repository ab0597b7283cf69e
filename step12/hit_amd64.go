//go:build !purego

package step12

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// Kernel returns the name of what computes the first pass: plain Go if the processor
// lacks AVX2 or FMA, for no instruction of SSE rounds once.
func (t *Tracer) Kernel() string {
	if hasAVX2 {
		return "avx2"
	}
	return "plain"
}

// run is the first pass over all spheres, eight at a time. The race detector does not
// see what the assembly reads and writes, and the scheduler cannot stop it: a million
// spheres hold up a garbage collection for half a millisecond.
func (h *HitTest) run(r *Ray) {
	if hasAVX2 {
		runAVX2(h, r)
	} else {
		h.runGeneric(r)
	}
}

//go:noescape
func runAVX2(h *HitTest, r *Ray)
