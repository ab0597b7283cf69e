//go:build !purego

package step11

// The kernel takes SSE2 instructions, which every amd64 processor has.
const (
	kernel    = "sse"
	hasKernel = true
)

// closest is closestGeneric, four spheres at a time.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestSSE(p, r, tMin, tMax)
}

//go:noescape
func closestSSE(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)

// draw is drawGeneric, three generators at a time. Every amd64 processor has
// the SSE2 instructions that it takes.
func (r *RNG) draw() { drawSSE(r) }

//go:noescape
func drawSSE(r *RNG)
