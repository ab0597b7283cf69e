package step04

import (
	"bytes"
	"cmp"
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

// layouts are searches of a world of n spheres in three orders in memory: one array,
// pointers to spheres that were allocated one by one, and pointers to spheres that are
// anywhere in four times the memory. Each world is built once, because benchmarks that
// take turns are called for every slice.
func layouts(n int) []steptest.Loop[Ray, HitRecord] {
	if layoutsOf[n] == nil {
		array := New(experimentScene(n)).world
		var pointers, scattered pointerWorld
		for _, s := range array.Spheres {
			pointers = append(pointers, &s)
		}
		room := make([]Sphere, 4*n)
		for i, place := range rand.New(rand.NewPCG(1, 2)).Perm(len(room))[:n] {
			room[place] = array.Spheres[i]
			scattered = append(scattered, &room[place])
		}
		layoutsOf[n] = []steptest.Loop[Ray, HitRecord]{
			{Name: "array", Hit: array.Hit}, {Name: "pointers", Hit: pointers.Hit}, {Name: "scattered", Hit: scattered.Hit},
		}
	}
	return layoutsOf[n]
}

var layoutsOf = map[int][]steptest.Loop[Ray, HitRecord]{}

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// BenchmarkLayout finds the closest sphere of scenes of several sizes; an operation is a
// ray. The caches are warm, by rays that are not timed, or cold, as a program leaves them
// that works on other data between two rays.
func BenchmarkLayout(b *testing.B) {
	next, ray, rec := rays(), new(Ray), new(HitRecord)
	for _, n := range []int{484, 5_000, 20_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for _, layout := range layouts(n) {
				search := func() {
					*ray = next()
					layout.Hit(ray, tMin, math.MaxFloat32, rec)
				}
				for _, caches := range []string{"warm", "cold"} {
					b.Run("layout="+layout.Name+"/caches="+caches, func(b *testing.B) {
						for i, start := 0, time.Now(); i < 5 || time.Since(start) < 200*time.Microsecond; i++ {
							search()
						}
						cold := time.Duration(0)
						for b.Loop() {
							if caches == "warm" {
								search()
								continue
							}
							readOtherData()
							start := time.Now()
							search()
							cold += time.Since(start)
						}
						perRay := float64(cmp.Or(cold, b.Elapsed()).Nanoseconds()) / float64(b.N)
						b.ReportMetric(perRay, "ns/op") // without the reading, for which StopTimer would have no end
						b.ReportMetric(perRay/float64(n), "ns/sphere")
					})
				}
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

func TestLayout(t *testing.T) { steptest.SameHits(t, rays, layouts(1000)) }
