package step04

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"raysteps/common/mem"
	"raysteps/common/scene"
)

// The experiment on where spheres come from. It runs with
//
//	go test -run '^$' -bench Allocation ./step04

// plain is a Sphere without pointers, as an arena wants it: the material is an
// index, where a Sphere has an interface. It is as large.
type plain struct {
	Center   Vec3
	Radius   float32
	Material int64
	_        int64
}

var _ = [1]struct{}{}[unsafe.Sizeof(plain{})-32]

// plainRecord is the HitRecord of a plain.
type plainRecord struct {
	T        float32
	P, N     Vec3
	Material int64
}

// Hit is Sphere.Hit.
func (s *plain) Hit(r *Ray, tMin, tMax float32, rec *plainRecord) bool {
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

type plainArray []plain

func (w plainArray) Hit(r *Ray, tMin, tMax float32, rec *plainRecord) bool {
	hit := false
	for i := range w {
		if w[i].Hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

type plainPointers []*plain

func (w plainPointers) Hit(r *Ray, tMin, tMax float32, rec *plainRecord) bool {
	hit := false
	for _, sphere := range w {
		if sphere.Hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// allocations returns n spheres: in a slice, and as pointers to spheres that
// were allocated one after the other, by new and from an arena.
func allocations(n int) (array plainArray, byNew, fromArena plainPointers) {
	var arena mem.Arena
	for i, s := range experimentScene(n).Spheres {
		sphere := plain{Center: vec3(s.Center), Radius: s.Radius, Material: int64(i)}
		array = append(array, sphere)
		p, q := new(plain), mem.New[plain](&arena)
		*p, *q = sphere, sphere
		byNew, fromArena = append(byNew, p), append(fromArena, q)
	}
	return array, byNew, fromArena
}

// BenchmarkAllocation finds the closest of spheres that come from new, from an
// arena or in a slice; an operation is a ray.
func BenchmarkAllocation(b *testing.B) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	rng := seed
	var rays [1024]Ray
	for i := range rays {
		rays[i] = camera.Ray(rng.Float32(), rng.Float32(), &rng)
	}
	rec := new(plainRecord)
	for _, n := range []int{484, 100_000} {
		array, byNew, fromArena := allocations(n)
		for _, tt := range []struct {
			from string
			hit  func(r *Ray, tMin, tMax float32, rec *plainRecord) bool
		}{{"new", byNew.Hit}, {"arena", fromArena.Hit}, {"slice", array.Hit}} {
			b.Run(fmt.Sprintf("n=%d/from=%s", n, tt.from), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					tt.hit(&rays[i%len(rays)], tMin, math.MaxFloat32, rec)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sphere")
			})
		}
	}
}

// TestAllocation holds all three to the hits of the world.
func TestAllocation(t *testing.T) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	rng := seed
	world := New(experimentScene(1000)).world
	array, byNew, fromArena := allocations(1000)
	for range 500 {
		r := camera.Ray(rng.Float32(), rng.Float32(), &rng)
		var want HitRecord
		hit := world.Hit(&r, tMin, math.MaxFloat32, &want)
		for _, find := range []func(*Ray, float32, float32, *plainRecord) bool{array.Hit, byNew.Hit, fromArena.Hit} {
			var got plainRecord
			if ok := find(&r, tMin, math.MaxFloat32, &got); ok != hit || got.T != want.T || got.P != want.P || got.N != want.N ||
				ok && world.Spheres[got.Material].Material != want.Material {
				t.Fatalf("ray %v: %v %v; want %v %v", r, ok, got, hit, want)
			}
		}
	}
}
