//go:build !purego

package avx512

import "golang.org/x/sys/cpu"

// What the processor can do. Of the parts of AVX-512 only the foundation is
// used.
var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F
)

// Kernel names what computes the first pass: avx512, avx2, or plain Go.
func (t *Tracer) Kernel() string {
	switch {
	case hasAVX512:
		return "avx512"
	case hasAVX2:
		return "avx2"
	}
	return "plain"
}

// run is runGeneric, sixteen spheres at a time if the processor can, or eight.
func (p *firstPass) run(r *Ray) {
	switch {
	case hasAVX512:
		runAVX512(p, r)
	case hasAVX2:
		runAVX2(p, r)
	default:
		p.runGeneric(r)
	}
}

//go:noescape
func runAVX512(p *firstPass, r *Ray)

//go:noescape
func runAVX2(p *firstPass, r *Ray)
