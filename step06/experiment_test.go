package step06

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Passes|Shares|Learned' ./step06

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// passLoops find the closest sphere: by one pass with a call for each sphere, as in the
// step before, by one with the test written out in the loop, and by two.
func (w *World) passLoops(parameter string) []steptest.Loop[Ray, HitRecord] {
	discriminants := make([]float32, w.Spheres.Len())
	return []steptest.Loop[Ray, HitRecord]{
		{Name: "passes=one-with-calls" + parameter, Hit: w.hitWithCalls},
		{Name: "passes=one-written-out" + parameter, Hit: w.hitWrittenOut},
		{Name: "passes=two" + parameter, Hit: func(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
			return w.Hit(r, tMin, tMax, rec, discriminants)
		}},
	}
}

// BenchmarkPasses: there are 484 spheres, and an operation is a ray.
func BenchmarkPasses(b *testing.B) {
	steptest.BenchLoops(b, rays, New(scene.Large()).world.passLoops(""))
}

func TestPasses(t *testing.T) {
	steptest.SameHits(t, rays, New(scene.Large()).world.passLoops(""))
}

// hitWithCalls is World.Hit of the step before.
func (w *World) hitWithCalls(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	for i := range w.Spheres.Len() {
		if w.testSphere(i, r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// testSphere does what hitSphere of the step before does: all of the test, in
// a call.
//
//go:noinline
func (w *World) testSphere(i int, r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	center, radius := w.Spheres.Center()[i], w.Spheres.Radius()[i]
	oc := r.Origin.Sub(center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	c := oc.Dot(oc) - float32(radius*radius)
	discriminant := float32(b*b) - float32(a*c)
	return discriminant > 0 && w.hitSphere(i, discriminant, r, tMin, tMax, rec)
}

func (w *World) hitWrittenOut(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	centers, radii := w.Spheres.Center(), w.Spheres.Radius()
	hit := false
	for i := range centers {
		center, radius := centers[i], radii[i]
		oc := r.Origin.Sub(center)
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radius*radius)
		discriminant := float32(b*b) - float32(a*c)
		if discriminant > 0 && w.hitSphere(i, discriminant, r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// share is 484 spheres and rays of which so many percent of all discriminants are positive.
type share struct {
	percent float64
	world   *World
	rays    []Ray // too many for a processor to learn which discriminants are positive
}

// shares makes them once, for slices of milliseconds. The rays are parallel, at random
// places, and so are the spheres. All have the radius that makes it the share.
var shares = sync.OnceValue(func() (all []share) {
	rng := seed
	rays := make([]Ray, 1024)
	for i := range rays {
		rays[i] = Ray{Vec3{rng.Float32(), rng.Float32(), -10}, Vec3{0, 0, 1}}
	}
	var s scene.Scene
	var distances []float32 // of centers from some of the rays
	for range 484 {
		center := [3]float32{rng.Float32(), rng.Float32(), rng.Float32()}
		s.Spheres = append(s.Spheres, scene.Sphere{
			Center: center, Material: scene.Material{Kind: scene.Lambertian},
		})
		for _, r := range rays[:128] {
			x, y := center[0]-r.Origin.X, center[1]-r.Origin.Y
			distances = append(distances, sqrt(float32(x*x)+float32(y*y)))
		}
	}
	slices.Sort(distances)
	for _, percent := range []float64{0.2, 0.5, 1, 2, 5, 10, 20, 50, 80, 100} {
		radius := float32(2) // more than any distance
		if percent < 100 {
			radius = distances[int(percent/100*float64(len(distances)))]
		}
		for i := range s.Spheres {
			s.Spheres[i].Radius = radius
		}
		all = append(all, share{percent, New(&s).world, rays})
	}
	return all
})

// next returns the rays, over and over.
func (s *share) next() func() Ray { return repeated(s.rays) }

func repeated(rays []Ray) (next func() Ray) {
	i := 0
	return func() Ray {
		i++
		return rays[i%len(rays)]
	}
}

// BenchmarkShares: from one positive discriminant in five hundred to all of them.
func BenchmarkShares(b *testing.B) {
	for _, s := range shares() {
		steptest.BenchLoops(b, s.next, s.world.passLoops(fmt.Sprintf("/percent=%g", s.percent)))
	}
}

// TestShares holds the share of positive discriminants to what the benchmarks say.
func TestShares(t *testing.T) {
	for _, s := range shares() {
		sum := 0.0
		for _, r := range s.rays {
			sum += s.of(r)
		}
		assert.InEpsilon(t, s.percent, sum/float64(len(s.rays)), 0.1)
		assert.InDelta(t, s.percent, s.of(s.closest()), 0.15)
	}
}

// BenchmarkLearned has the spheres of Shares, and rays as there, or one ray over and over, which
// is the one whose share of positive discriminants is closest. What a processor then sees has been
// there 484 jumps before.
func BenchmarkLearned(b *testing.B) {
	for _, s := range shares() {
		if s.percent != 1 && s.percent != 10 && s.percent != 50 {
			continue
		}
		for _, rays := range [][]Ray{s.rays, {s.closest()}} {
			next := func() func() Ray { return repeated(rays) }
			steptest.BenchLoops(b, next, s.world.passLoops(fmt.Sprintf("/percent=%g/rays=%d", s.percent, len(rays))))
		}
	}
}

// closest returns the ray whose share of positive discriminants is closest to that of all.
func (s *share) closest() (ray Ray) {
	least := math.Inf(1)
	for _, r := range s.rays {
		if off := math.Abs(s.of(r) - s.percent); off < least {
			ray, least = r, off
		}
	}
	return ray
}

// of returns how many percent of the discriminants of a ray are positive.
func (s *share) of(r Ray) float64 {
	discriminants := make([]float32, s.world.Spheres.Len())
	s.world.Hit(&r, tMin, math.MaxFloat32, new(HitRecord), discriminants)
	positive := 0
	for _, d := range discriminants {
		if d > 0 {
			positive++
		}
	}
	return 100 * float64(positive) / float64(len(discriminants))
}
