package step03

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"raysteps/common/mem"
	"raysteps/common/scene"
)

// The experiment on where spheres come from. It runs with
//
//	go test -run '^$' -bench Allocation ./step03

// plain is a Sphere without pointers, as an arena wants it: the material is an
// index, where a Sphere has an interface. It is as large.
type plain struct {
	Center   Vec3
	Radius   float32
	Material int64
	_        int64
}

var _ = [1]struct{}{}[unsafe.Sizeof(plain{})-32]

// plainRecord is the HitRecord of a plain.
type plainRecord struct {
	T        float32
	P, N     Vec3
	Material int64
}

// Hit is Sphere.Hit.
func (s *plain) Hit(r *Ray, tMin, tMax float32, rec *plainRecord) bool {
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

type plainWorld []*plain

func (w plainWorld) Hit(r *Ray, tMin, tMax float32, rec *plainRecord) bool {
	hit := false
	for _, sphere := range w {
		if sphere.Hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// plainSpheres returns n spheres: the large scene, cut or repeated further
// down.
func plainSpheres(n int) []plain {
	large := scene.Large().Spheres
	spheres := make([]plain, n)
	for i := range spheres {
		s := large[i%len(large)]
		s.Center[1] -= 3 * float32(i/len(large))
		spheres[i] = plain{Center: vec3(s.Center), Radius: s.Radius, Material: int64(i)}
	}
	return spheres
}

// byPointers returns the spheres in their order, each in memory of its own.
func byPointers(spheres []plain, allocate func() *plain) plainWorld {
	w := make(plainWorld, len(spheres))
	for i := range w {
		w[i] = allocate()
		*w[i] = spheres[i]
	}
	return w
}

// shuffled returns memory for n spheres that was allocated one by one, in
// random order.
func shuffled(n int) func() *plain {
	room := byPointers(make([]plain, n), newPlain)
	rng := rand.New(rand.NewPCG(5, 6))
	rng.Shuffle(n, func(i, j int) { room[i], room[j] = room[j], room[i] })
	return func() *plain {
		p := room[0]
		room = room[1:]
		return p
	}
}

//go:noinline
func newPlain() *plain { return new(plain) }

// allocations returns the same spheres four times: allocated by new in their
// order; by new, in random order; by new, on a heap that is half full of
// other objects, which it returns, too; and from an arena.
func allocations(spheres []plain) (worlds map[string]plainWorld, used plainWorld) {
	runtime.GC() // of the heap that the call before has filled
	var arena mem.Arena
	worlds = map[string]plainWorld{
		"new":          byPointers(spheres, newPlain),
		"new,shuffled": byPointers(spheres, shuffled(len(spheres))),
		"arena":        byPointers(spheres, func() *plain { return mem.New[plain](&arena) }),
	}
	used = byPointers(make([]plain, 1<<18), newPlain)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range used {
		if rng.IntN(2) == 0 {
			used[i] = nil
		}
	}
	runtime.GC()
	worlds["new,used-heap"] = byPointers(spheres, newPlain)
	return worlds, used
}

// BenchmarkAllocation finds the closest of spheres that are reached by
// pointers; an operation is a ray.
func BenchmarkAllocation(b *testing.B) {
	rays := experimentRays(1024)
	rec := new(plainRecord)
	for _, n := range []int{484, 100_000} {
		worlds, used := allocations(plainSpheres(n))
		for _, from := range []string{"new", "new,shuffled", "new,used-heap", "arena"} {
			world := worlds[from]
			b.Run(fmt.Sprintf("n=%d/from=%s", n, from), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					world.Hit(&rays[i%len(rays)], tMin, math.MaxFloat32, rec)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sphere")
			})
		}
		runtime.KeepAlive(used)
	}
}

// TestAllocation holds all of them to the hits of the world.
func TestAllocation(t *testing.T) {
	world := New(scene.Large()).world
	worlds, _ := allocations(plainSpheres(len(world.Spheres)))
	for _, r := range experimentRays(500) {
		var want HitRecord
		hit := world.Hit(&r, tMin, math.MaxFloat32, &want)
		for from, w := range worlds {
			var got plainRecord
			if ok := w.Hit(&r, tMin, math.MaxFloat32, &got); ok != hit || got.T != want.T || got.P != want.P || got.N != want.N ||
				ok && world.Spheres[got.Material].Material != want.Material {
				t.Fatalf("ray %v, spheres from %s: %v %v; want %v %v", r, from, ok, got, hit, want)
			}
		}
	}
}
