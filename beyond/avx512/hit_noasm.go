//go:build !amd64 || purego

package avx512

// Kernel names what computes the hit test: avx512, avx2, or plain Go.
func (t *Tracer) Kernel() string { return "plain" }

func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestGeneric(p, r, tMin, tMax)
}
