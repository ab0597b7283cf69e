//go:build !amd64 || purego

package avx512

const hasAVX512, hasAVX2 = false, false

func closestAVX512(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestGeneric(p, r, tMin, tMax)
}

func closestAVX2(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestGeneric(p, r, tMin, tMax)
}

func (r *RNG) draw() { r.drawGeneric() }
