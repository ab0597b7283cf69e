package step04

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench Layout ./step04

// experimentScene is the large scene, cut or repeated further down, with n
// spheres.
func experimentScene(n int) *scene.Scene {
	s := scene.Large()
	large := s.Spheres
	s.Spheres = nil
	for i := range n {
		sphere := large[i%len(large)]
		sphere.Center[1] -= 3 * float32(i/len(large))
		s.Spheres = append(s.Spheres, sphere)
	}
	return s
}

// hitOnce is World.Hit with the slice in a local variable.
func (w *World) hitOnce(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	spheres := w.Spheres
	for i := range spheres {
		if spheres[i].Hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// experimentLayouts returns the spheres of a world in three orders in memory:
// one array, pointers to spheres that were allocated one by one, and pointers
// to spheres that are anywhere in four times the memory.
func experimentLayouts(spheres []Sphere) (array *World, pointers, scattered pointerWorld) {
	for _, s := range spheres {
		pointers = append(pointers, &s)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	room := make([]Sphere, 4*len(spheres))
	for i, place := range rng.Perm(len(room))[:len(spheres)] {
		room[place] = spheres[i]
		scattered = append(scattered, &room[place])
	}
	return &World{spheres}, pointers, scattered
}

// pointerWorld is the world of the step before.
type pointerWorld []*Sphere

func (w pointerWorld) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	for _, sphere := range w {
		if sphere.Hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// BenchmarkLayout finds the closest sphere of scenes of several sizes; an operation is a
// ray. The caches are warm, by rays that are not timed, or cold, as a program leaves them
// that works on other data between two rays.
func BenchmarkLayout(b *testing.B) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	rng := seed
	rec := new(HitRecord)
	ray := new(Ray)
	for _, n := range []int{484, 5_000, 20_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for _, layout := range []string{"array", "array,local-slice", "pointers", "scattered"} {
				hit := experimentHits(n)[layout]
				next := func() {
					*ray = camera.Ray(rng.Float32(), rng.Float32(), &rng)
					hit(ray, tMin, math.MaxFloat32, rec)
				}
				perSphere := func(b *testing.B) {
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sphere")
				}
				b.Run("layout="+layout+"/caches=warm", func(b *testing.B) {
					for i, start := 0, time.Now(); i < 5 || time.Since(start) < 200*time.Microsecond; i++ {
						next()
					}
					for b.Loop() {
						next()
					}
					perSphere(b)
				})
				if layout == "array,local-slice" {
					continue
				}
				b.Run("layout="+layout+"/caches=cold", func(b *testing.B) {
					for b.Loop() {
						b.StopTimer()
						readOtherData()
						b.StartTimer()
						next()
					}
					perSphere(b)
				})
			}
		})
	}
}

// otherData is more than the last cache holds.
var otherData []byte

// readOtherData leaves it in the caches, in place of what they had.
func readOtherData() (sum byte) {
	if otherData == nil {
		otherData = bytes.Repeat([]byte{1}, 48<<20)
	}
	for i := 0; i < len(otherData); i += 64 {
		sum += otherData[i]
	}
	return sum
}

var hitsOf = map[int]map[string]hitFunc{}

type hitFunc func(r *Ray, tMin, tMax float32, rec *HitRecord) bool

// experimentHits returns the searches of a world of n spheres by their layout. It
// builds each world once, since benchmarks that take turns are called for every
// slice.
func experimentHits(n int) map[string]hitFunc {
	if hitsOf[n] == nil {
		array, pointers, scattered := experimentLayouts(New(experimentScene(n)).world.Spheres)
		hitsOf[n] = map[string]hitFunc{"array": array.Hit, "array,local-slice": array.hitOnce, "pointers": pointers.Hit, "scattered": scattered.Hit}
	}
	return hitsOf[n]
}

// TestLayout holds the three layouts to the same hits.
func TestLayout(t *testing.T) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	rng := seed
	array, pointers, scattered := experimentLayouts(New(experimentScene(1000)).world.Spheres)
	rays := make([]Ray, 1000)
	for i := range rays {
		rays[i] = camera.Ray(rng.Float32(), rng.Float32(), &rng)
	}
	steptest.SameHits(t, rays, array.Hit, array.hitOnce, pointers.Hit, scattered.Hit)
}
