//go:build !purego

package step11

// Every amd64 processor has the SSE2 instructions that the kernel takes.
const hasKernel = true

// Kernel names what computes the hit test: sse, or plain Go.
func (t *Tracer) Kernel() string { return "sse" }

// closestKernel is closestGeneric, four spheres at a time.
func (p *firstPass) closestKernel(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestSSE(p, r, tMin, tMax)
}

//go:noescape
func closestSSE(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
