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

// hit returns the hit of r with sphere i, at a distance that the hit test has found,
// and the material there.
func (w *World) hit(i int, r *Ray, distance float32) (rec HitRecord, material Material) {
	center := Vec3{w.Spheres.CenterX()[i], w.Spheres.CenterY()[i], w.Spheres.CenterZ()[i]}
	rec.P = r.At(distance)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[i])
	return rec, w.Spheres.Material()[i]
}
