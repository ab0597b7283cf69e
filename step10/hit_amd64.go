//go:build !purego

package step10

// Kernel names what computes the first pass: sse, or plain Go.
func (t *Tracer) Kernel() string { return "sse" }

// run is runGeneric, four spheres at a time. Every amd64 processor has the
// SSE2 instructions that it takes.
func (p *firstPass) run(r *Ray) int { return runSSE(p, r) }

//go:noescape
func runSSE(p *firstPass, r *Ray) int
