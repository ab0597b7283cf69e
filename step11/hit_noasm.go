//go:build !(amd64 || arm64 || (wasm && goexperiment.simd)) || purego

package step11

// Kernel names what computes the first pass.
func (t *Tracer) Kernel() string { return "plain" }

func (h *HitTest) run(r *Ray) { h.runGeneric(r) }
