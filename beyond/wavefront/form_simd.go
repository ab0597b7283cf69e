//go:build goexperiment.simd && amd64 && !purego

package wavefront

import "simd/archsimd"

// vector are the forms in SIMD instructions, the fastest first. The one for
// AVX-512 takes some stages of AVX2 with it.
var vector = func() []form {
	avx512 := form{name: "avx512", draw: drawAVX512, aim: aimAVX512, cull: cullAVX512, lanes: 16, directions: directionsAVX512, beam: beamAVX512, hit: hitAVX512, part: partAVX512, collect: collect, scatter: scatterAVX512}
	avx2 := form{name: "avx2", draw: drawAVX2, aim: aimAVX2, cull: cullAVX2, lanes: 8, directions: directionsAVX2, beam: beamAVX2, hit: hitAVX2, part: partAVX2, collect: collect, scatter: scatterAVX2}
	if !hasAVX2 {
		avx2.missing = "the processor has no AVX2 and FMA"
		avx512.missing = avx2.missing
	} else if !archsimd.X86.AVX512() {
		avx512.missing = "the processor has no AVX-512"
	}
	return []form{avx512, avx2}
}()
