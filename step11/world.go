package step11

// HitRecord says where a ray hit something, and what. With 32 bytes in three
// fields it is small enough for the compiler to pass it in registers.
type HitRecord struct {
	P        Vec3 // the point
	N        Vec3 // the normal there, of length 1
	Material *Material
}

// World is everything that a ray can hit, a slice for each kind of thing.
type World struct {
	Spheres SphereSoA
}

// Hit returns the closest hit of r at a distance between tMin and tMax, both
// exclusive, and whether there is one.
func (w *World) Hit(r *Ray, tMin, tMax float32, pass *firstPass) (rec HitRecord, ok bool) {
	// A point of the ray is on a sphere if its distance from the center is the
	// radius: a quadratic equation in t, t² - 2nb·t + c = 0. A first pass over
	// all spheres finds out for which of them it may have solutions, and a second
	// solves it for those.
	closest, t := pass.closest(r, tMin, tMax)
	if closest < 0 {
		return rec, false
	}
	center := Vec3{pass.cx[closest], pass.cy[closest], pass.cz[closest]}
	rec.P = r.At(t)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[closest])
	rec.Material = &w.Spheres.Material()[closest]
	return rec, true
}
