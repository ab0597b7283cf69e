//go:build !amd64 || purego

package avx512

func (r *RNG) draw() { r.drawGeneric() }
