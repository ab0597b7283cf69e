//go:build !amd64 || purego

package step13

func (r *RNG) draw() { r.drawGeneric() }
