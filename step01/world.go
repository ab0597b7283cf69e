package step01

// HitRecord says where a ray hit something, and what.
type HitRecord struct {
	T        float32 // distance in units of the ray's direction
	P        Vec3    // the point
	N        Vec3    // the normal there, of length 1
	Material Material
}

// Hittable is anything that a ray can hit.
type Hittable interface {
	// Hit reports whether r hits it at a distance between tMin and tMax, both
	// exclusive. If so it fills rec with the closest such hit; if not, it leaves
	// rec as it was.
	Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool
}

// List is a Hittable made of others.
type List struct {
	Items []Hittable
}

func (l *List) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	for _, item := range l.Items {
		if item.Hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}
