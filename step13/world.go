package step13

// HitRecord says where a ray hit something, and what. With a pointer to the interface
// it has 32 bytes, few enough for the compiler to pass it in registers.
type HitRecord struct {
	P        Vec3 // the point
	N        Vec3 // the normal there, of length 1
	Material *Material
}

// World is everything that a ray can hit, a slice for each kind of thing.
type World struct {
	Spheres SphereSoA
}

// Hit returns the hit of r with sphere i at a distance that the hit test has found.
func (w *World) Hit(i int, r *Ray, distance float32) (rec HitRecord) {
	center := Vec3{w.Spheres.CenterX()[i], w.Spheres.CenterY()[i], w.Spheres.CenterZ()[i]}
	rec.P = r.At(distance)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[i])
	rec.Material = &w.Spheres.Material()[i]
	return rec
}
