//go:build !purego

package step10

// The kernel takes SSE2 instructions, which every amd64 processor has.
const (
	kernel    = "sse"
	hasKernel = true
)

// closest is closestGeneric, four spheres at a time.
//
// The race detector does not see what the assembly reads and writes, and the
// scheduler cannot stop it: a million spheres hold up a garbage collection for
// half a millisecond.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestSSE(p, r, tMin, tMax)
}

//go:noescape
func closestSSE(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
