//go:build !purego

package step10

// Kernel names what computes the hit test: sse, or plain Go.
func (t *Tracer) Kernel() string { return "sse" }

// closest is closestGeneric, four spheres at a time. Every amd64 processor has
// the SSE2 instructions that it takes.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestSSE(p, r, tMin, tMax)
}

//go:noescape
func closestSSE(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
