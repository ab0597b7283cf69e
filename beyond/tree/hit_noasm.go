//go:build !amd64 || purego

package tree

// Kernel names what computes the first pass: avx2, or plain Go.
func (t *Tracer) Kernel() string { return "plain" }

func (p *firstPass) run(r *Ray) { p.runGeneric(r) }

func (r *RNG) draw() { r.drawGeneric() }
