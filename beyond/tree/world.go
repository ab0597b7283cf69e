package tree

import (
	"math"

	"raysteps/common/mem"
)

// HitRecord says where a ray hit something, and what. With 32 bytes in three
// fields it is small enough for the compiler to pass it in registers.
type HitRecord struct {
	P        Vec3 // the point
	N        Vec3 // the normal there, of length 1
	Material *Material
}

// World is everything that a ray can hit, and a tree to find it.
type World struct {
	Spheres    SphereSoA // leaf by leaf, each filled up to a multiple of eight by spheres that are never hit
	sceneIndex []int32   // of each sphere in the scene, -1 for those
	// Columns of the spheres.
	cx, cy, cz, radiusSq []float32

	nodes []node     // in depth-first order
	wide  []wideNode // none if boxes are tested two at a time
	depth int        // of the nodes
}

func newWorld(spheres []Sphere) *World {
	leafSize, width := form()
	return newWorldOf(spheres, leafSize, width)
}

// newWorldOf sorts spheres into a tree with leaves of up to leafSize spheres, in
// which width boxes are tested at a time, from 2 to 8.
func newWorldOf(spheres []Sphere, leafSize, width int) *World {
	w := &World{Spheres: *NewSphereSoA(len(spheres) + len(spheres)/8)}
	items := make([]item, len(spheres))
	for i, s := range spheres {
		center := [3]float64{float64(s.Center.X), float64(s.Center.Y), float64(s.Center.Z)}
		items[i] = item{center, math.Sqrt(float64(s.RadiusSq)), int32(i)}
	}
	if len(items) > 0 {
		b := builder{w, spheres, leafSize}
		b.build(items, 0)
		if width > 2 {
			wide, _ := widen(w.nodes, 0, width, nil)
			w.wide = mem.Aligned[wideNode](len(wide), mem.CacheLine)
			copy(w.wide, wide)
		}
	}
	w.cx, w.cy, w.cz, w.radiusSq = w.Spheres.CenterX(), w.Spheres.CenterY(), w.Spheres.CenterZ(), w.Spheres.RadiusSq()
	return w
}

// Hit returns the closest hit of r at a distance between tMin and tMax, both
// exclusive, and whether there is one.
func (w *World) Hit(r *Ray, tMin, tMax float32, s *search) (rec HitRecord, ok bool) {
	s.closest, s.tMax = -1, tMax
	switch {
	case len(w.nodes) == 0:
	case len(w.nodes) == 1:
		w.leaf(w.nodes[0].ref, r, tMin, s)
	case len(w.wide) == 0:
		w.walk(r, tMin, s)
	default:
		w.walkWide(r, tMin, s)
	}
	if s.closest < 0 {
		return rec, false
	}
	surface := &w.Spheres.Surface()[s.closest]
	rec.P = r.At(s.tMax)
	rec.N = rec.P.Sub(surface.Center).Scale(surface.InvRadius)
	rec.Material = &surface.Material
	return rec, true
}
