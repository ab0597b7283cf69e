//go:build !purego

package avx512

// draw is drawGeneric, three generators at a time. Every amd64 processor has the
// SSE2 instructions that it takes.
func (r *RNG) draw() { drawSSE(r) }

//go:noescape
func drawSSE(r *RNG)
