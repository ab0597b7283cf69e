package step03

import (
	"fmt"
	"math"
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

// patternLengths are those of BenchmarkPattern.
var patternLengths = []int{1, 2, 4, 11, 22, 44, 121, 242, 484, 4 * 484, 16 * 484}

// BenchmarkPattern finds the closest of 484 spheres through an interface; an operation
// is a ray. The types alternate in a pattern that repeats after so many calls. With one
// type the lists are as many, and nothing alternates.
func BenchmarkPattern(b *testing.B) {
	rays := experimentRays(1024)
	spheres := New(scene.Large()).world.Spheres
	rec := new(HitRecord)
	for _, types := range []string{"one", "two"} {
		for _, length := range patternLengths {
			b.Run(fmt.Sprintf("types=%s/length=%d", types, length), func(b *testing.B) {
				lists := patterned(spheres, types, length)
				for i := 0; b.Loop(); i++ {
					lists[i%len(lists)].Hit(&rays[i%len(rays)], tMin, math.MaxFloat32, rec)
				}
			})
		}
	}
}

// TestDispatch holds the lists to the hits of the world.
func TestDispatch(t *testing.T) {
	world := New(scene.Large()).world
	tests := []func(*Ray, float32, float32, *HitRecord) bool{world.Hit}
	for _, types := range []string{"one", "two"} {
		for _, l := range patterned(world.Spheres, types, 4*484) {
			tests = append(tests, l.Hit)
		}
	}
	steptest.SameHits(t, experimentRays(1000), tests...)
}

// distances says how far the spheres of a world are from each other in
// memory, in bytes.
type distances struct {
	size  int // of a sphere
	apart int // spheres that do not directly follow the one before
	mean  float64
}

func measureDistances(spheres []*Sphere) distances {
	d := distances{size: int(unsafe.Sizeof(Sphere{}))}
	address := func(i int) int { return int(uintptr(unsafe.Pointer(spheres[i]))) }
	for i := 1; i < len(spheres); i++ {
		step := address(i) - address(i-1)
		if step != d.size {
			d.apart++
		}
		d.mean += math.Abs(float64(step)) / float64(len(spheres)-1)
	}
	return d
}

// TestDistances: two spheres follow the one before, and the first comes again.
func TestDistances(t *testing.T) {
	row := make([]Sphere, 3)
	d := measureDistances([]*Sphere{&row[0], &row[1], &row[2], &row[0]})
	if want := float64(d.size) * 4 / 3; d.apart != 1 || math.Abs(d.mean-want) > 1e-9 {
		t.Errorf("%+v; want 1 apart and a mean of %v", d, want)
	}
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

// BenchmarkDistance reports how far the spheres of the large scene are from
// each other, when they are built on a fresh heap and on a used one. An
// operation builds the scene anew; the distances are those of the first time.
func BenchmarkDistance(b *testing.B) {
	for _, heap := range []string{"fresh", "used"} {
		b.Run("heap="+heap, func(b *testing.B) {
			s := scene.Large()
			var used []*Sphere
			if heap == "used" {
				used = fillHeap()
			}
			d := measureDistances(New(s).world.Spheres)
			for b.Loop() {
				New(s)
			}
			runtime.KeepAlive(used)
			b.ReportMetric(float64(d.size), "size-B")
			b.ReportMetric(float64(d.apart), "apart")
			b.ReportMetric(d.mean, "mean-B")
		})
	}
}
