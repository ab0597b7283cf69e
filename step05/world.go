package step05

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

// Hit does for the world what hitSphere does for one sphere.
func (w *World) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	for i := range w.Spheres.Len() {
		if w.hitSphere(i, r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}
