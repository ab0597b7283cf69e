package step02

import (
	"fmt"
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench 'Inlining|Calls' ./step02

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// getterLoops find the closest of 484 spheres, which read the fields of the ray, or
// get them from getters that are inlined or called.
func getterLoops() []steptest.Loop[Ray, HitRecord] {
	var none, inlined, called List
	for _, s := range scene.Large().Spheres {
		sphere := &Sphere{vec3(s.Center), s.Radius, newMaterial(&s.Material)}
		none.Items = append(none.Items, sphere)
		inlined.Items = append(inlined.Items, (*inlinedSphere)(sphere))
		called.Items = append(called.Items, (*calledSphere)(sphere))
	}
	return []steptest.Loop[Ray, HitRecord]{
		{Name: "getters=none", Hit: none.Hit}, {Name: "getters=inlined", Hit: inlined.Hit}, {Name: "getters=called", Hit: called.Hit},
	}
}

// BenchmarkInlining: an operation is a ray.
func BenchmarkInlining(b *testing.B) { steptest.BenchLoops(b, rays, getterLoops()) }

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
	next, r := rays(), new(Ray)
	var spheres []*Sphere
	for _, s := range scene.Large().Spheres {
		spheres = append(spheres, &Sphere{vec3(s.Center), s.Radius, newMaterial(&s.Material)})
	}
	for calls, test := range []func(s *Sphere, r *Ray) bool{noCall, oneCall, twoCalls, threeCalls, fourCalls} {
		b.Run(fmt.Sprintf("calls=%d", calls), func(b *testing.B) {
			positive := 0
			for b.Loop() {
				*r = next()
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

func TestInlining(t *testing.T) { steptest.SameHits(t, rays, getterLoops()) }
