//go:build !(goexperiment.simd && amd64) || purego

package archsimd

// Kernel names what computes the first pass: archsimd512, archsimd256, or plain
// Go.
func (t *Tracer) Kernel() string { return "plain" }

func (p *firstPass) run(r *Ray) { p.runGeneric(r) }
