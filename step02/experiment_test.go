package step02

import (
	"fmt"
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Calls|Live' ./step02

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// callLoops do the test of 484 spheres up to its discriminant, and count those that are
// positive. None to all four uses of a getter are calls.
func callLoops() (loops []steptest.Loop[Ray, int]) {
	for calls, test := range []func(s *Sphere, r *Ray) bool{
		noCall, oneCall, twoCalls, threeCalls, fourCalls,
	} {
		loops = append(loops, loopOf(fmt.Sprintf("calls=%d", calls), test))
	}
	return loops
}

// loopOf counts the spheres of the large scene that pass a test.
func loopOf(name string, test func(s *Sphere, r *Ray) bool) steptest.Loop[Ray, int] {
	var spheres []*Sphere
	for _, s := range scene.Large().Spheres {
		spheres = append(spheres, &Sphere{vec3(s.Center), s.Radius, newMaterial(&s.Material)})
	}
	return steptest.Loop[Ray, int]{Name: name, Hit: func(r *Ray, _, _ float32, positive *int) bool {
		n := 0
		for _, s := range spheres {
			if test(s, r) {
				n++
			}
		}
		*positive = n
		return n > 0
	}}
}

// BenchmarkCalls: an operation is a ray.
func BenchmarkCalls(b *testing.B) { steptest.BenchLoops(b, rays, callLoops()) }

func TestCalls(t *testing.T) { steptest.SameHits(t, rays, callLoops()) }

//go:noinline
func (r *Ray) calledOrigin() Vec3 { return r.Origin }

//go:noinline
func (r *Ray) calledDirection() Vec3 { return r.Direction }

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
	a := r.calledDirection().Dot(r.calledDirection())
	return s.positive(r.calledOrigin().Sub(s.Center), a, r.Direction)
}

func fourCalls(s *Sphere, r *Ray) bool {
	a := r.calledDirection().Dot(r.calledDirection())
	return s.positive(r.calledOrigin().Sub(s.Center), a, r.calledDirection())
}

// positive reports whether the discriminant is.
func (s *Sphere) positive(oc Vec3, a float32, direction Vec3) bool {
	b := oc.Dot(direction)
	return float32(b*b)-float32(a*(oc.Dot(oc)-float32(s.Radius*s.Radius))) > 0
}

// liveLoops do the test with four calls of an empty function: before it, when nothing has been
// computed, or between its parts, each of which then has to be stored before a call and loaded
// again after it.
func liveLoops() []steptest.Loop[Ray, int] {
	return []steptest.Loop[Ray, int]{loopOf("calls=none", noCall), loopOf("calls=before", callsBefore), loopOf("calls=between", callsBetween)}
}

// BenchmarkLive: an operation is a ray.
func BenchmarkLive(b *testing.B) { steptest.BenchLoops(b, rays, liveLoops()) }

func TestLive(t *testing.T) { steptest.SameHits(t, rays, liveLoops()) }

//go:noinline
func empty() {}

func callsBefore(s *Sphere, r *Ray) bool {
	empty()
	empty()
	empty()
	empty()
	return s.positive(r.Origin.Sub(s.Center), r.Direction.Dot(r.Direction), r.Direction)
}

func callsBetween(s *Sphere, r *Ray) bool {
	oc := r.Origin.Sub(s.Center)
	empty()
	a := r.Direction.Dot(r.Direction)
	empty()
	b := oc.Dot(r.Direction)
	empty()
	c := oc.Dot(oc) - float32(s.Radius*s.Radius)
	empty()
	return float32(b*b)-float32(a*c) > 0
}
