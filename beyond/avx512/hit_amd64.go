//go:build !purego

package avx512

import "golang.org/x/sys/cpu"

// What the processor can do. Of the parts of AVX-512 only the foundation is
// used.
var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F
)

//go:noescape
func runAVX512(p *firstPass, r *Ray)

//go:noescape
func runAVX2(p *firstPass, r *Ray)
