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

// layouts are searches of a world of n spheres. Each world is built once, because
// benchmarks that take turns are called for every slice.
func layouts(n int) []steptest.Loop[Ray, HitRecord] {
	if layoutsOf[n] == nil {
		array, pointers, scattered := experimentLayouts(New(experimentScene(n)).world.Spheres)
		layoutsOf[n] = []steptest.Loop[Ray, HitRecord]{
			{Name: "array", Hit: array.Hit}, {Name: "array,local-slice", Hit: array.hitOnce},
			{Name: "pointers", Hit: pointers.Hit}, {Name: "scattered", Hit: scattered.Hit},
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
	next := rays()
	rec := new(HitRecord)
	ray := new(Ray)
	for _, n := range []int{484, 5_000, 20_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for _, layout := range layouts(n) {
				search := func() {
					*ray = next()
					layout.Hit(ray, tMin, math.MaxFloat32, rec)
				}
				perSphere := func(b *testing.B) {
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sphere")
				}
				b.Run("layout="+layout.Name+"/caches=warm", func(b *testing.B) {
					for i, start := 0, time.Now(); i < 5 || time.Since(start) < 200*time.Microsecond; i++ {
						search()
					}
					for b.Loop() {
						search()
					}
					perSphere(b)
				})
				if layout.Name == "array,local-slice" {
					continue
				}
				b.Run("layout="+layout.Name+"/caches=cold", func(b *testing.B) {
					for b.Loop() {
						b.StopTimer()
						readOtherData()
						b.StartTimer()
						search()
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

func TestLayout(t *testing.T) { steptest.SameHits(t, rays, layouts(1000)) }
