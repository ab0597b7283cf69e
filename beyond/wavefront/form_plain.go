//go:build !goexperiment.simd || !amd64 || purego

package wavefront

// vector are the forms in SIMD instructions, the fastest first.
var vector = []form{{name: "avx512", missing: missing}, {name: "avx2", missing: missing}}

const missing = "this build has no SIMD: want amd64 and GOEXPERIMENT=simd"
