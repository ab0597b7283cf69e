//go:build !purego

package step11

// Kernel returns the name of what computes the first pass. Every amd64 processor has SSE.
func (t *Tracer) Kernel() string { return "sse" }

// run is the first pass over all spheres, four at a time. The race detector does not
// see what the assembly reads and writes, and the scheduler cannot stop it: a million
// spheres hold up a garbage collection for half a millisecond.
func (h *HitTest) run(r *Ray) { runSSE(h, r) }

//go:noescape
func runSSE(h *HitTest, r *Ray)
