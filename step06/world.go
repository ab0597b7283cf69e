package step06

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
// leaves rec as it was. The slice discriminants holds one number for each sphere.
func (w *World) Hit(r *Ray, tMin, tMax float32, rec *HitRecord, discriminants []float32) bool {
	// A point of the ray is on a sphere if its distance from the center is the
	// radius: a quadratic equation in t, a·t² + 2b·t + c = 0. The first pass
	// finds out whether it has solutions.
	centers, radii := w.Spheres.Center(), w.Spheres.Radius()
	for i := range centers {
		center, radius := centers[i], radii[i]
		oc := r.Origin.Sub(center)
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radius*radius)
		discriminants[i] = float32(b*b) - float32(a*c)
	}

	hit := false
	for i, discriminant := range discriminants {
		if discriminant > 0 && w.hitSphere(i, discriminant, r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}
