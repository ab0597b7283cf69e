package step01

import (
	"fmt"
	"math"
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'HitLoop|Fields|Escape' ./step01

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// hitLoops find the closest of 484 spheres. Ray and hit record go to the spheres by
// pointer, the ray by value, or both.
func hitLoops() []steptest.Loop[Ray, HitRecord] {
	var pointers List
	var rayValues rayValueList
	var values valueList
	for _, s := range scene.Large().Spheres {
		sphere := &Sphere{vec3(s.Center), s.Radius, newMaterial(&s.Material)}
		pointers.Items = append(pointers.Items, sphere)
		rayValues = append(rayValues, (*rayValueSphere)(sphere))
		values = append(values, (*valueSphere)(sphere))
	}
	return []steptest.Loop[Ray, HitRecord]{
		{Name: "ray=pointer/record=pointer", Hit: pointers.Hit},
		{Name: "ray=value/record=pointer", Hit: func(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
			return rayValues.Hit(*r, tMin, tMax, rec)
		}},
		{Name: "ray=value/record=value", Hit: func(r *Ray, tMin, tMax float32, rec *HitRecord) (hit bool) {
			*rec, hit = values.Hit(*r, tMin, tMax)
			return hit
		}},
	}
}

// BenchmarkHitLoop: an operation is a ray.
func BenchmarkHitLoop(b *testing.B) { steptest.BenchLoops(b, rays, hitLoops()) }

// The other ways to pass a ray and to get a hit. Only the signatures differ from
// List.Hit and Sphere.Hit.

type rayValueHittable interface {
	Hit(r Ray, tMin, tMax float32, rec *HitRecord) bool
}

type rayValueList []rayValueHittable

func (l rayValueList) Hit(r Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	for _, item := range l {
		if item.Hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

type rayValueSphere Sphere

func (s *rayValueSphere) Hit(r Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.Origin().Sub(s.Center)
	a := r.Direction().Dot(r.Direction())
	b := oc.Dot(r.Direction())
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

type valueHittable interface {
	Hit(r Ray, tMin, tMax float32) (HitRecord, bool)
}

type valueList []valueHittable

func (l valueList) Hit(r Ray, tMin, tMax float32) (closest HitRecord, hit bool) {
	for _, item := range l {
		if rec, ok := item.Hit(r, tMin, tMax); ok {
			closest, hit = rec, true
			tMax = rec.T
		}
	}
	return closest, hit
}

type valueSphere Sphere

func (s *valueSphere) Hit(r Ray, tMin, tMax float32) (HitRecord, bool) {
	oc := r.Origin().Sub(s.Center)
	a := r.Direction().Dot(r.Direction())
	b := oc.Dot(r.Direction())
	c := oc.Dot(oc) - float32(s.Radius*s.Radius)
	discriminant := float32(b*b) - float32(a*c)
	if !(discriminant > 0) {
		return HitRecord{}, false
	}
	root := sqrt(discriminant)
	t := (-b - root) / a
	if !(t < tMax && t > tMin) {
		t = (-b + root) / a
		if !(t < tMax && t > tMin) {
			return HitRecord{}, false
		}
	}
	p := r.At(t)
	return HitRecord{t, p, p.Sub(s.Center).Scale(1 / s.Radius), s.Material}, true
}

// BenchmarkFields asks targets, all of which are missed, for a record of one to eight
// fields, which they return or have a pointer to; an operation is a target.
func BenchmarkFields(b *testing.B) {
	benchmarkFields[struct{ a float32 }](b, 1)
	benchmarkFields[struct{ a, b float32 }](b, 2)
	benchmarkFields[struct{ a, b, c float32 }](b, 3)
	benchmarkFields[struct{ a, b, c, d float32 }](b, 4)
	benchmarkFields[struct{ a, b, c, d, e float32 }](b, 5)
	benchmarkFields[struct{ a, b, c, d, e, f float32 }](b, 6)
	benchmarkFields[struct{ a, b, c, d, e, f, g float32 }](b, 7)
	benchmarkFields[struct{ a, b, c, d, e, f, g, h float32 }](b, 8)
}

// target is hit from a distance on, and then the record is its own.
type target[Record any] struct {
	at     float32
	record Record
}

//go:noinline
func (t *target[Record]) byValue(distance float32) (record Record, hit bool) {
	if distance < t.at {
		return record, false
	}
	return t.record, true
}

//go:noinline
func (t *target[Record]) byPointer(distance float32, record *Record) bool {
	if distance < t.at {
		return false
	}
	*record = t.record
	return true
}

func benchmarkFields[Record any](b *testing.B, fields int) {
	targets := make([]target[Record], 512)
	for i := range targets {
		targets[i].at = 1
	}
	var closest Record
	b.Run(fmt.Sprintf("fields=%d/record=value", fields), func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if record, hit := targets[i%len(targets)].byValue(0.5); hit {
				closest = record
			}
		}
	})
	b.Run(fmt.Sprintf("fields=%d/record=pointer", fields), func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			targets[i%len(targets)].byPointer(0.5, &closest)
		}
	})
}

// BenchmarkEscape follows camera rays of the small scene to their end; an
// operation is a path. The ray and its hit record are fields of the tracer, or
// local variables, which escape to the heap.
func BenchmarkEscape(b *testing.B) {
	s := scene.Small()
	t := New(s)
	camera := NewCamera(&s.Camera, 16./9)
	rays := make([]Ray, 1024)
	rng := seed
	for i := range rays {
		rays[i] = camera.Ray(rng.Float32(), rng.Float32(), &rng)
	}
	for _, way := range []struct {
		name  string
		color func(r Ray) Vec3
	}{
		{"field", func(r Ray) Vec3 {
			t.ray = r
			return t.color(&t.ray, 0)
		}},
		{"local", func(r Ray) Vec3 { return t.colorOfLocals(r, 0) }},
	} {
		b.Run("ray="+way.name, func(b *testing.B) {
			t.rng, t.bounces = seed, 50
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				way.color(rays[i%len(rays)])
			}
		})
	}
}

// colorOfLocals is color as one would write it first.
func (t *Tracer) colorOfLocals(r Ray, depth int) Vec3 {
	t.rays++
	var hit HitRecord
	if !t.world.Hit(&r, tMin, math.MaxFloat32, &hit) {
		return sky(&r)
	}
	if depth >= t.bounces {
		return Vec3{}
	}
	scattered, attenuation, ok := hit.Material.Scatter(&r, &hit, &t.rng)
	if !ok {
		return Vec3{}
	}
	return attenuation.Mul(t.colorOfLocals(scattered, depth+1))
}

// TestExperiments holds the ways of passing, and the two of following a
// path, to the same results.
func TestExperiments(t *testing.T) {
	steptest.SameHits(t, rays, hitLoops())

	own, local, next := New(scene.Small()), New(scene.Small()), rays()
	own.rng, own.bounces, local.rng, local.bounces = seed, 50, seed, 50
	for range 1000 {
		r := next()
		own.ray = r
		if a, b := own.color(&own.ray, 0), local.colorOfLocals(r, 0); a != b {
			t.Fatalf("ray %v: colors %v and %v; want the same", r, a, b)
		}
	}
}
