//go:build !amd64 || purego

package avx512

import "raysteps/step12"

const hasAVX512 = false

func closest(p *step12.FirstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	return p.Closest(r, tMin, tMax)
}
