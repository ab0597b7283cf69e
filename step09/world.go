package step09

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
	// radius: a quadratic equation in t, t² + 2b·t + c = 0. The first pass
	// finds out whether it has solutions.
	cx, cy, cz, radiiSq := w.Spheres.CenterX(), w.Spheres.CenterY(), w.Spheres.CenterZ(), w.Spheres.RadiusSq()
	discriminants = discriminants[:len(cx)]
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	for i := range cx {
		ocx := ox - cx[i]
		ocy := oy - cy[i]
		ocz := oz - cz[i]
		b := float32(ocx*dx) + float32(ocy*dy) + float32(ocz*dz)
		c := float32(ocx*ocx) + float32(ocy*ocy) + float32(ocz*ocz) - radiiSq[i]
		discriminants[i] = float32(b*b) - c
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
