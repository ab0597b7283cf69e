package step10

// HitRecord says where a ray hit something. With 24 bytes it is small enough for the
// compiler to pass it in registers.
type HitRecord struct {
	P Vec3 // the point
	N Vec3 // the normal there, of length 1
}

// World is everything that a ray can hit, a slice for each kind of thing.
type World struct {
	Spheres SphereSoA
}

// Hit returns the closest hit of r at a distance between tMin and tMax, both
// exclusive, and the material there, or nil if r hits nothing.
func (w *World) Hit(r *Ray, tMin, tMax float32, pass *firstPass) (rec HitRecord, material Material) {
	closest, t := pass.closest(r, tMin, tMax)
	if closest < 0 {
		return HitRecord{}, nil
	}
	center := Vec3{pass.cx[closest], pass.cy[closest], pass.cz[closest]}
	rec.P = r.At(t)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[closest])
	return rec, w.Spheres.Material()[closest]
}
