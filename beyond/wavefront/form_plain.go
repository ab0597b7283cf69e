//go:build !goexperiment.simd || !amd64 || purego

package wavefront

var vector []form
