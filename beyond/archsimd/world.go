package archsimd

import "raysteps/common/scene"

// HitRecord says where a ray hit something, and what. With 32 bytes in three
// fields it is small enough for the compiler to pass it in registers.
type HitRecord struct {
	P        Vec3 // the point
	N        Vec3 // the normal there, of length 1
	Material *Material
}

// World is everything that a ray can hit.
type World struct {
	pass     *firstPass
	surfaces []Surface
}

// Surface is what a hit needs of a sphere, once it is known of which.
type Surface struct {
	Center    Vec3    // as in the first pass
	InvRadius float32 // 1 / radius, negative for a normal that points inward
	Material  Material
}

func newWorld(spheres []scene.Sphere) *World {
	w := &World{pass: newFirstPass(len(spheres), best())}
	for i, s := range spheres {
		w.pass.set(i, vec3(s.Center), float32(s.Radius*s.Radius))
		w.surfaces = append(w.surfaces, Surface{vec3(s.Center), 1 / s.Radius, newMaterial(&s.Material)})
	}
	return w
}

// hit returns the hit of r with sphere i, at a distance that the hit test has found.
func (w *World) hit(i int, r Ray, distance float32) (rec HitRecord) {
	s := &w.surfaces[i]
	rec.P = r.At(distance)
	rec.N = rec.P.Sub(s.Center).Scale(s.InvRadius)
	rec.Material = &s.Material
	return rec
}
