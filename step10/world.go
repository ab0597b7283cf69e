package step10

// HitRecord says where a ray hit something, and what.
type HitRecord struct {
	T        float32 // distance
	P        Vec3    // the point
	N        Vec3    // the normal there, of length 1
	Material Material
}

// World is everything that a ray can hit, a slice for each kind of thing.
type World struct {
	Spheres SphereSoA
}

// Hit reports whether r hits something at a distance between tMin and tMax,
// both exclusive. If so it fills rec with the closest such hit; if not, it
// leaves rec as it was.
func (w *World) Hit(r *Ray, tMin, tMax float32, rec *HitRecord, pass *firstPass) bool {
	closest, t := pass.closest(r, tMin, tMax)
	if closest < 0 {
		return false
	}
	center := Vec3{pass.cx[closest], pass.cy[closest], pass.cz[closest]}
	rec.T = t
	rec.P = r.At(t)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[closest])
	rec.Material = w.Spheres.Material()[closest]
	return true
}
