//go:build !amd64 || purego

package tree

import "raysteps/step13"

func (s *search) walk(r *Ray, tMin float32) { s.walkGeneric(r, tMin) }

func loop(p *step13.FirstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	return p.Closest(r, tMin, tMax)
}
