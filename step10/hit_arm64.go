//go:build !purego

package step10

// The kernel takes NEON instructions, which every arm64 processor has.
const (
	kernel    = "neon"
	hasKernel = true
)

// closest is closestGeneric, four spheres at a time.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestNEON(p, r, tMin, tMax)
}

//go:noescape
func closestNEON(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
