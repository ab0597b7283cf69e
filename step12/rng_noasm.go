//go:build !amd64 || purego

package step12

func (r *RNG) draw() { r.drawGeneric() }
