//go:build !amd64 || purego

package tree

func walkKernel() string { return "plain" }

func (s *search) walk(r *Ray, tMin float32) { s.walkGeneric(r, tMin) }
