package step05

import (
	"fmt"
	"sync"
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Columns|Radii' ./step05

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

// BenchmarkRadii finds the largest radius of spheres in an array and in a column, a loop
// that needs four bytes of 32; an operation is all spheres.
func BenchmarkRadii(b *testing.B) {
	array, column := radii()
	for _, n := range []int{484, 5_000, 50_000, 500_000, 2_000_000} {
		b.Run(fmt.Sprintf("n=%d/spheres=array", n), func(b *testing.B) {
			for b.Loop() {
				largestOfArray(array[:n])
			}
		})
		b.Run(fmt.Sprintf("n=%d/spheres=columns", n), func(b *testing.B) {
			for b.Loop() {
				largestOfColumn(column[:n])
			}
		})
	}
}

// plain is as large as a Sphere and has no pointer, so that a collection between slices
// takes no time.
type plain struct {
	Center   Vec3
	Radius   float32
	Material [4]uint32
}

// radii returns spheres in an array, and their radii in a column. They are made once,
// because benchmarks that take turns are called for every slice.
var radii = sync.OnceValues(func() ([]plain, []float32) {
	array, column := make([]plain, 2_000_000), make([]float32, 2_000_000)
	for i := range array {
		column[i] = 1 / float32(i+1)
		array[i].Radius = column[i]
	}
	return array, column
})

func largestOfArray(spheres []plain) (radius float32) {
	for i := range spheres {
		if r := spheres[i].Radius; r > radius {
			radius = r
		}
	}
	return radius
}

func largestOfColumn(radii []float32) (radius float32) {
	for _, r := range radii {
		if r > radius {
			radius = r
		}
	}
	return radius
}
