//go:build !amd64 || purego

package tree

func (s *search) walk(r *Ray, tMin float32) { s.walkGeneric(r, tMin) }
