//go:build !(amd64 || arm64) || purego

package instrumented

const (
	kernel    = "assembly"
	hasKernel = false
)

func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestGeneric(p, r, tMin, tMax)
}

func (r *RNG) draw() { r.drawGeneric() }
