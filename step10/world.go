package step10

// HitRecord says where a ray hit something, and what.
type HitRecord struct {
	T        float32 // distance in units of the ray's direction
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
// leaves rec as it was. The hit test was made of the spheres of this world.
func (w *World) Hit(r *Ray, tMin, tMax float32, rec *HitRecord, test *HitTest) bool {
	i, t := test.Closest(r, tMin, tMax)
	if i < 0 {
		return false
	}
	center := Vec3{w.Spheres.CenterX()[i], w.Spheres.CenterY()[i], w.Spheres.CenterZ()[i]}
	rec.T = t
	rec.P = r.At(t)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[i])
	rec.Material = w.Spheres.Material()[i]
	return true
}
