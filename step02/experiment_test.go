package step02

import (
	"fmt"
	"math"
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench 'Inlining|Calls' ./step02

// experimentRays returns camera rays through random points of the large scene.
func experimentRays(n int) []Ray {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	rng := seed
	rays := make([]Ray, n)
	for i := range rays {
		rays[i] = camera.Ray(rng.Float32(), rng.Float32(), &rng)
	}
	return rays
}

// experimentLists holds the large scene once for each row of the experiment, by
// the name of the row.
func experimentLists() map[string]*List {
	lists := map[string]*List{"none": {}, "inlined": {}, "called": {}}
	for _, s := range scene.Large().Spheres {
		sphere := &Sphere{vec3(s.Center), s.Radius, newMaterial(&s.Material)}
		for name, item := range map[string]Hittable{
			"none": sphere, "inlined": (*inlinedSphere)(sphere), "called": (*calledSphere)(sphere),
		} {
			lists[name].Items = append(lists[name].Items, item)
		}
	}
	return lists
}

// BenchmarkInlining finds the closest of 484 spheres; an operation is a ray.
// The spheres read the fields of the ray, or get them from getters, which are
// inlined or called.
func BenchmarkInlining(b *testing.B) {
	rays := experimentRays(1024)
	rec := new(HitRecord)
	lists := experimentLists()
	for _, name := range []string{"none", "inlined", "called"} {
		b.Run("getters="+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				lists[name].Hit(&rays[i%len(rays)], tMin, math.MaxFloat32, rec)
			}
		})
	}
}

func (r *Ray) inlinedOrigin() Vec3    { return r.Origin }
func (r *Ray) inlinedDirection() Vec3 { return r.Direction }

type inlinedSphere Sphere

func (s *inlinedSphere) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.inlinedOrigin().Sub(s.Center)
	a := r.inlinedDirection().Dot(r.inlinedDirection())
	b := oc.Dot(r.inlinedDirection())
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

//go:noinline
func (r *Ray) calledOrigin() Vec3 { return r.Origin }

//go:noinline
func (r *Ray) calledDirection() Vec3 { return r.Direction }

type calledSphere Sphere

func (s *calledSphere) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.calledOrigin().Sub(s.Center)
	a := r.calledDirection().Dot(r.calledDirection())
	b := oc.Dot(r.calledDirection())
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

// BenchmarkCalls is the test of a sphere up to its discriminant, with none to all four
// uses of a getter being calls. An operation is a ray.
func BenchmarkCalls(b *testing.B) {
	rays := experimentRays(1024)
	var spheres []*Sphere
	for _, s := range scene.Large().Spheres {
		spheres = append(spheres, &Sphere{vec3(s.Center), s.Radius, newMaterial(&s.Material)})
	}
	for calls, test := range []func(s *Sphere, r *Ray) bool{noCall, oneCall, twoCalls, threeCalls, fourCalls} {
		b.Run(fmt.Sprintf("calls=%d", calls), func(b *testing.B) {
			positive := 0
			for i := 0; b.Loop(); i++ {
				r := &rays[i%len(rays)]
				for _, s := range spheres {
					if test(s, r) {
						positive++
					}
				}
			}
			b.ReportMetric(float64(positive)/float64(b.N), "positive")
		})
	}
}

func noCall(s *Sphere, r *Ray) bool {
	return s.positive(r.Origin.Sub(s.Center), r.Direction.Dot(r.Direction), r.Direction)
}

func oneCall(s *Sphere, r *Ray) bool {
	return s.positive(r.calledOrigin().Sub(s.Center), r.Direction.Dot(r.Direction), r.Direction)
}

func twoCalls(s *Sphere, r *Ray) bool {
	return s.positive(r.calledOrigin().Sub(s.Center), r.calledDirection().Dot(r.Direction), r.Direction)
}

func threeCalls(s *Sphere, r *Ray) bool {
	return s.positive(r.calledOrigin().Sub(s.Center), r.calledDirection().Dot(r.calledDirection()), r.Direction)
}

func fourCalls(s *Sphere, r *Ray) bool {
	return s.positive(r.calledOrigin().Sub(s.Center), r.calledDirection().Dot(r.calledDirection()), r.calledDirection())
}

// positive reports whether the discriminant is.
func (s *Sphere) positive(oc Vec3, a float32, direction Vec3) bool {
	b := oc.Dot(direction)
	return float32(b*b)-float32(a*(oc.Dot(oc)-float32(s.Radius*s.Radius))) > 0
}

// TestExperiments holds the lists to the same hits.
func TestExperiments(t *testing.T) {
	lists := experimentLists()
	steptest.SameHits(t, experimentRays(1000), lists["none"].Hit, lists["inlined"].Hit, lists["called"].Hit)
}
