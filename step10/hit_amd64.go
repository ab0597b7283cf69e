//go:build !purego

package step10

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
