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

// hit fills rec with the hit of r with sphere i, at a distance that the hit test has
// found.
func (w *World) hit(i int, r *Ray, distance float32, rec *HitRecord) {
	center := Vec3{w.Spheres.CenterX()[i], w.Spheres.CenterY()[i], w.Spheres.CenterZ()[i]}
	rec.T = distance
	rec.P = r.At(distance)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[i])
	rec.Material = w.Spheres.Material()[i]
}
