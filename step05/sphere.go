package step05

//go:generate go tool soagen -type Sphere -align 0 -methods Append

// Sphere is a ball of one material.
type Sphere struct {
	Center   Vec3
	Radius   float32 // negative for a normal that points inward
	Material Material
}

// hitSphere reports whether r hits sphere i at a distance between tMin and
// tMax, both exclusive. If so it fills rec with the closer such hit; if not, it
// leaves rec as it was.
func (w *World) hitSphere(i int, r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	center, radius := w.Spheres.Center()[i], w.Spheres.Radius()[i]
	// A point of the ray is on the sphere if its distance from the center is
	// the radius: a quadratic equation in t, a·t² + 2b·t + c = 0.
	oc := r.Origin.Sub(center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	c := oc.Dot(oc) - float32(radius*radius)
	discriminant := float32(b*b) - float32(a*c)
	if !(discriminant > 0) {
		return false
	}
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
