//go:build !amd64 || purego

package step13

const hasKernel = false

// Kernel names what computes the hit test: avx2, or plain Go.
func (t *Tracer) Kernel() string { return "plain" }

func (p *firstPass) closestKernel(r *Ray, tMin, tMax float32) (closest int, t float32) {
	panic("this build has no assembly")
}
