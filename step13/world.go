package step13

import "raysteps/common/instrument"

// HitRecord says where a ray hit something, and what.
type HitRecord struct {
	T        float32 // distance
	P        Vec3    // the point
	N        Vec3    // the normal there, of length 1
	Material *Material
}

// World is everything that a ray can hit, a slice for each kind of thing.
type World struct {
	Spheres SphereSoA
}

// Hit reports whether r hits something at a distance between tMin and tMax,
// both exclusive. If so it fills rec with the closest such hit; if not, it
// leaves rec as it was.
func (w *World) Hit(r *Ray, tMin, tMax float32, rec *HitRecord, pass *firstPass) bool {
	// A point of the ray is on a sphere if its distance from the center is the
	// radius: a quadratic equation in t, t² - 2nb·t + c = 0. The first pass
	// finds out which of them may have solutions.
	if instrument.On {
		pass.instruments.BeginPass(w.Spheres.Len())
	}
	n := pass.run(r)
	if instrument.On {
		pass.instruments.EndPass(w.Spheres.Len(), n)
	}

	closest := -1
	for _, i := range pass.candidates[:n] {
		nb, root := pass.nb[i], sqrt(pass.discriminants[i])
		t := nb - root
		if !(t < tMax && t > tMin) {
			t = nb + root
			if !(t < tMax && t > tMin) {
				continue
			}
		}
		closest = int(i)
		tMax = t
	}
	if closest < 0 {
		return false
	}
	center := Vec3{pass.cx[closest], pass.cy[closest], pass.cz[closest]}
	rec.T = tMax
	rec.P = r.At(tMax)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[closest])
	rec.Material = &w.Spheres.Material()[closest]
	return true
}
