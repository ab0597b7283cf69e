//go:build !purego

package wavefront

import "golang.org/x/sys/cpu"

// assembly are the kernels beside the plain search. They are tested in builds
// without the experiment, too.
var assembly = func() []kernel {
	avx512 := kernel{name: "avx512", hit: hitAVX512}
	if !cpu.X86.HasAVX512F {
		avx512.missing = "the processor has no AVX-512"
	}
	avx2 := kernel{name: "avx2", hit: hitAVX2}
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		avx2.missing = "the processor has no AVX2 and FMA"
	}
	return []kernel{avx512, avx2}
}()
