package step05

import (
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench Columns ./step05

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// columnLoops find the closest of 484 spheres. These are an array of structs; columns
// that are taken from the container for every sphere, as in this step; and columns that
// are taken once per ray. A function is called for each sphere, or for those alone whose
// discriminant is positive.
func columnLoops() []steptest.Loop[Ray, HitRecord] {
	world, array := New(scene.Large()).world, new(array)
	centers, radii, materials := world.Spheres.Center(), world.Spheres.Radius(), world.Spheres.Material()
	for i := range centers {
		array.spheres = append(array.spheres, Sphere{centers[i], radii[i], materials[i]})
	}
	return []steptest.Loop[Ray, HitRecord]{
		{Name: "columns=none/test=called", Hit: array.hit},
		{Name: "columns=taken-per-sphere/test=called", Hit: world.Hit},
		{Name: "columns=taken-per-ray/test=called", Hit: world.hitTakenPerRay},
		{Name: "columns=none/test=written-out", Hit: array.hitWrittenOut},
		{Name: "columns=taken-per-sphere/test=written-out", Hit: world.hitTakenPerSphereWrittenOut},
		{Name: "columns=taken-per-ray/test=written-out", Hit: world.hitTakenPerRayWrittenOut},
	}
}

// BenchmarkColumns: an operation is a ray.
func BenchmarkColumns(b *testing.B) { steptest.BenchLoops(b, rays, columnLoops()) }

func TestColumns(t *testing.T) { steptest.SameHits(t, rays, columnLoops()) }

// array is the world of step 4.
type array struct{ spheres []Sphere }

// hit is World.Hit of step 4.
func (list *array) hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	for i := range list.spheres {
		if list.spheres[i].hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// hit is Sphere.Hit of step 4.
func (s *Sphere) hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.Origin.Sub(s.Center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	c := oc.Dot(oc) - float32(s.Radius*s.Radius)
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
	rec.N = rec.P.Sub(s.Center).Scale(1 / s.Radius)
	rec.Material = s.Material
	return true
}

// hitTakenPerRay hands a function what it needs of a sphere, and not the columns.
func (w *World) hitTakenPerRay(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	centers, radii, materials := w.Spheres.Center(), w.Spheres.Radius(), w.Spheres.Material()
	hit := false
	for i := range centers {
		if hitBall(&centers[i], radii[i], r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
			rec.Material = materials[i]
		}
	}
	return hit
}

// hitBall is Sphere.Hit of step 4, but for the material.
func hitBall(center *Vec3, radius float32, r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.Origin.Sub(*center)
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
	rec.N = rec.P.Sub(*center).Scale(1 / radius)
	return true
}

// hitWrittenOut has the test up to the first return in the loop.
func (list *array) hitWrittenOut(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	spheres := list.spheres
	for i := range spheres {
		s := &spheres[i]
		oc := r.Origin.Sub(s.Center)
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(s.Radius*s.Radius)
		discriminant := float32(b*b) - float32(a*c)
		if discriminant > 0 && s.hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

func (w *World) hitTakenPerSphereWrittenOut(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	for i := range w.Spheres.Len() {
		center, radius := w.Spheres.Center()[i], w.Spheres.Radius()[i]
		oc := r.Origin.Sub(center)
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radius*radius)
		discriminant := float32(b*b) - float32(a*c)
		if discriminant > 0 && w.hitSphere(i, r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

func (w *World) hitTakenPerRayWrittenOut(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	centers, radii := w.Spheres.Center(), w.Spheres.Radius()
	hit := false
	for i := range centers {
		oc := r.Origin.Sub(centers[i])
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radii[i]*radii[i])
		discriminant := float32(b*b) - float32(a*c)
		if discriminant > 0 && w.hitSphere(i, r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}
