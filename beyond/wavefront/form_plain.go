//go:build !goexperiment.simd || !amd64 || purego

package wavefront

// vector are the forms in SIMD instructions, the fastest first.
var vector = []form{
	{name: "avx512", missing: "this build has no SIMD: want amd64 and GOEXPERIMENT=simd"},
	{name: "avx2", missing: "this build has no SIMD: want amd64 and GOEXPERIMENT=simd"},
}
