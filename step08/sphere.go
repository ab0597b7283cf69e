package step08

//go:generate go tool soagen -type Sphere -align 0 -methods Append

// Sphere is a ball of one material.
type Sphere struct {
	Center   Vec3    `soa:"split"`
	Radius   float32 // negative for a normal that points inward
	Material Material
}

// hitSphere is the second pass for sphere i, whose discriminant is positive. It
// reports whether r hits the sphere at a distance between tMin and tMax, both
// exclusive. If so it fills rec with the closer such hit; if not, it leaves rec
// as it was.
func (w *World) hitSphere(i int, discriminant float32, r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	center := Vec3{w.Spheres.CenterX()[i], w.Spheres.CenterY()[i], w.Spheres.CenterZ()[i]}
	radius := w.Spheres.Radius()[i]
	oc := r.Origin.Sub(center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	root := sqrt(discriminant)
	t := (-b - root) / a
	if !(t < tMax && t > tMin) {
		t = (-b + root) / a
		if !(t < tMax && t > tMin) {
			return false
		}
	}
	rec.T = t
	rec.P = r.At(t)
	rec.N = rec.P.Sub(center).Scale(1 / radius)
	rec.Material = w.Spheres.Material()[i]
	return true
}
