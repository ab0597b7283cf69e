//go:build !(goexperiment.simd && amd64) || purego

package archsimd

// Kernel names what computes the first pass: archsimd512, archsimd256, or plain
// Go.
func (t *Tracer) Kernel() string { return "plain" }

func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestGeneric(p, r, tMin, tMax)
}
