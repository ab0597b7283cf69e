//go:build !goexperiment.simd || !amd64 || purego

package archsimd

func (r *RNG) draw() { r.drawGeneric() }
