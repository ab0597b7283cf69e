//go:build !amd64 || purego

package step11

func (r *RNG) draw() { r.drawGeneric() }
