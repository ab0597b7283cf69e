package step02

import (
	"fmt"
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench Calls ./step02

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// callLoops do the test of 484 spheres up to its discriminant, and count those that are
// positive. None to all four uses of a getter are calls.
func callLoops() (loops []steptest.Loop[Ray, int]) {
	var spheres []*Sphere
	for _, s := range scene.Large().Spheres {
		spheres = append(spheres, &Sphere{vec3(s.Center), s.Radius, newMaterial(&s.Material)})
	}
	for calls, test := range []func(s *Sphere, r *Ray) bool{noCall, oneCall, twoCalls, threeCalls, fourCalls} {
		loops = append(loops, steptest.Loop[Ray, int]{Name: fmt.Sprintf("calls=%d", calls), Hit: func(r *Ray, _, _ float32, positive *int) bool {
			n := 0
			for _, s := range spheres {
				if test(s, r) {
					n++
				}
			}
			*positive = n
			return n > 0
		}})
	}
	return loops
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
