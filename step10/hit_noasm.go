//go:build !amd64 || purego

package step10

// Kernel names what computes the first pass: sse, or plain Go.
func (t *Tracer) Kernel() string { return "plain" }

func (p *firstPass) run(r *Ray) int { return p.runGeneric(r) }
