//go:build !purego

package step10

// The kernel takes NEON instructions, which every arm64 processor has.
const (
	kernel    = "neon"
	hasKernel = true
)

// closest is closestGeneric, four spheres at a time.
//
// The race detector does not see what the assembly reads and writes, and the
// scheduler cannot stop it: a million spheres hold up a garbage collection for
// half a millisecond.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestNEON(p, r, tMin, tMax)
}

//go:noescape
func closestNEON(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
