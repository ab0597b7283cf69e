package step03

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiments of the chapters 3 and 4. They run with
//
//	go test -run '^$' -bench 'Pattern|Distance' ./step03

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// hittable is the interface of the steps before.
type hittable interface {
	Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool
}

type list []hittable

func (l list) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	for _, item := range l {
		if item.Hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// ball is a second kind of hittable, which does what a Sphere does with code of
// its own.
type ball Sphere

func (s *ball) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
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

// patterned returns lists of the spheres, for one ray after the other, with balls in place
// of half of the spheres: in random order, which repeats after length calls. Length
// divides the number of spheres, or is a multiple of it.
func patterned(spheres []*Sphere, types string, length int) []list {
	balls := rand.New(rand.NewPCG(5, 6)).Perm(length)
	lists := make([]list, max(1, length/len(spheres)))
	for i := range len(lists) * len(spheres) {
		l, s := &lists[i/len(spheres)], spheres[i%len(spheres)]
		if types == "two" && balls[i%length] < length/2 {
			*l = append(*l, (*ball)(s))
		} else {
			*l = append(*l, s)
		}
	}
	return lists
}

// BenchmarkPattern finds the closest of 484 spheres through an interface; an operation
// is a ray. The types alternate in a pattern that repeats after so many calls. With one
// type the lists are as many, and nothing alternates.
func BenchmarkPattern(b *testing.B) { steptest.BenchLoops(b, rays, patternLoops()) }

func TestPattern(t *testing.T) { steptest.SameHits(t, rays, patternLoops()) }

func patternLoops() (loops []steptest.Loop[Ray, HitRecord]) {
	spheres := New(scene.Large()).world.Spheres
	for _, types := range []string{"one", "two"} {
		for _, length := range []int{1, 2, 4, 11, 22, 44, 121, 242, 484, 4 * 484, 16 * 484} {
			lists, ray := patterned(spheres, types, length), 0
			loops = append(loops, steptest.Loop[Ray, HitRecord]{Name: fmt.Sprintf("types=%s/length=%d", types, length),
				Hit: func(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
					ray++
					return lists[ray%len(lists)].Hit(r, tMin, tMax, rec)
				}})
		}
	}
	return loops
}

// apart says how many spheres do not directly follow the one before in memory.
func apart(spheres []*Sphere) (n int) {
	for i, sphere := range spheres[1:] {
		if unsafe.Add(unsafe.Pointer(spheres[i]), unsafe.Sizeof(*sphere)) != unsafe.Pointer(sphere) {
			n++
		}
	}
	return n
}

// fillHeap makes a heap look like that of a program that has run for a while:
// full of objects of a sphere's size, a random half of which is garbage. It
// returns what is still in use.
func fillHeap() []*Sphere {
	rng := rand.New(rand.NewPCG(3, 4))
	var used []*Sphere
	for range 1 << 18 {
		used = append(used, new(Sphere))
	}
	for i := range used {
		if rng.IntN(2) == 0 {
			used[i] = nil
		}
	}
	runtime.GC()
	return used
}

// BenchmarkDistance reports how many spheres of the large scene do not directly follow
// the one before, when they are built on a fresh heap and on a used one. An operation
// builds the scene anew; what is reported is that of the first time.
func BenchmarkDistance(b *testing.B) {
	for _, heap := range []string{"fresh", "used"} {
		b.Run("heap="+heap, func(b *testing.B) {
			s := scene.Large()
			var used []*Sphere
			if heap == "used" {
				used = fillHeap()
			}
			n := apart(New(s).world.Spheres)
			for b.Loop() {
				New(s)
			}
			runtime.KeepAlive(used)
			b.ReportMetric(float64(n), "apart")
		})
	}
}
