//go:build !(amd64 || arm64 || (wasm && goexperiment.simd)) || purego

package step10

const (
	kernel    = "assembly"
	hasKernel = false
)

func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestGeneric(p, r, tMin, tMax)
}
