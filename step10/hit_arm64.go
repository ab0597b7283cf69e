//go:build !purego

package step10

// Kernel names what computes the first pass. Every arm64 processor has NEON.
func (t *Tracer) Kernel() string { return "neon" }

// run is the first pass over all spheres, four at a time. The race detector does not
// see what the assembly reads and writes, and the scheduler cannot stop it: a million
// spheres hold up a garbage collection for half a millisecond.
func (h *HitTest) run(r *Ray) { runNEON(h, r) }

//go:noescape
func runNEON(h *HitTest, r *Ray)
