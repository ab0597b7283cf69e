package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"raysteps/common/scene"
)

// cloud is n spheres in a cube around the camera. However many they are, a ray
// hits one after about half of the way out of it.
func cloud(n int) *scene.Scene {
	rng := rand.New(rand.NewPCG(13, 6))
	s := scene.Small()
	s.Camera.From, s.Camera.At = [3]float32{}, [3]float32{0, 0, -1}
	s.Spheres = make([]scene.Sphere, n)
	radius := float32(math.Sqrt(800 / math.Pi / float64(n)))
	for i := range s.Spheres {
		c := randomVec(rng, 10)
		s.Spheres[i] = scene.Sphere{Center: [3]float32{c.X, c.Y, c.Z}, Radius: radius,
			Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{0.5, 0.5, 0.5}}}
	}
	return s
}

// pathRays returns rays of paths from the camera, in the order in which a render
// would trace them.
func pathRays(t *Tracer, n int) []Ray {
	const side = 128
	camera, rng, s := NewCamera(&t.camera, 1), seeds(0), newSearch(t.world)
	rays := make([]Ray, 0, n)
	for pixel := 0; ; pixel++ {
		u, v := rng.Pair()
		r := camera.Ray((u+float32(pixel%side))/side, (v+float32(pixel/side%side))/side, &rng)
		for range 50 {
			if len(rays) == n {
				return rays
			}
			rays = append(rays, r)
			rec, ok := t.world.Hit(&r, tMin, math.MaxFloat32, s)
			if !ok {
				break
			}
			if r, _, ok = rec.Material.Scatter(&r, rec, &rng); !ok {
				break
			}
		}
	}
}

// spheresIn returns the spheres of a scene in their order.
func spheresIn(s *scene.Scene) []Sphere {
	var spheres []Sphere
	for _, sphere := range s.Spheres {
		spheres = append(spheres, ball(vec3(sphere.Center), sphere.Radius))
	}
	return spheres
}

// replay calls a search for rays, sixteen of them so many times, and then the
// next sixteen. An operation is a ray.
func replay(b *testing.B, rays []Ray, repeats int, search func(r *Ray)) {
	const block = 16
	i := 0
	for b.Loop() {
		// Blocks from all over the input, so that a part of them is like all.
		at := i / (block * repeats) * 389
		search(&rays[(at*block+i%block)%len(rays)])
		i++
	}
}

// searchIn searches for the hits of rays, each once.
func searchIn(b *testing.B, w *World, rays []Ray) {
	s := newSearch(w)
	replay(b, rays, 1, func(r *Ray) { w.Hit(r, tMin, math.MaxFloat32, s) })
}

// BenchmarkBuild builds trees. An operation is a sphere.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			spheres := spheresIn(cloud(n))
			for b.Loop() {
				newWorld(spheres)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*n), "ns/sphere")
		})
	}
}

// experiments are the scenes of the experiments with searches.
var experiments = []struct {
	name  string
	scene func() *scene.Scene
}{
	{"large", scene.Large},
	{"cloud-10000", func() *scene.Scene { return cloud(10_000) }},
	{"cloud-1000000", func() *scene.Scene { return cloud(1_000_000) }},
}

const longInput = 1 << 14

// BenchmarkLeaf searches in trees with leaves of up to so many spheres.
func BenchmarkLeaf(b *testing.B) {
	for _, e := range experiments {
		sc := e.scene()
		spheres, rays := spheresIn(sc), pathRays(New(sc), longInput)
		for _, size := range []int{1, 4, 8, 16, 32, 64} {
			b.Run(fmt.Sprintf("scene=%s/leaf=%d", e.name, size), func(b *testing.B) {
				searchIn(b, newWorldOf(spheres, size, lanes), rays)
			})
		}
	}
}

// BenchmarkBoxes searches in trees in which so many boxes are tested at a time:
// two in plain Go, four and eight by the same instructions, with half of the
// lanes empty or none.
func BenchmarkBoxes(b *testing.B) {
	for _, e := range experiments {
		sc := e.scene()
		spheres, rays := spheresIn(sc), pathRays(New(sc), longInput)
		for _, width := range []int{2, 4, 8} {
			b.Run(fmt.Sprintf("scene=%s/boxes=%d", e.name, width), func(b *testing.B) {
				searchIn(b, newWorldOf(spheres, 32, width), rays)
			})
		}
	}
}

// BenchmarkReplay searches for the hits of the same rays in two ways: once, and
// sixteen at a time over and over, which the processor learns by heart.
func BenchmarkReplay(b *testing.B) {
	for _, e := range experiments {
		sc := e.scene()
		t := New(sc)
		rays := pathRays(t, longInput)
		s, l := newSearch(t.world), newLinear(spheresIn(sc))
		for _, search := range []struct {
			name string
			run  func(r *Ray)
		}{
			{"tree", func(r *Ray) { t.world.Hit(r, tMin, math.MaxFloat32, s) }},
			{"loop", func(r *Ray) { l.hit(r, tMin, math.MaxFloat32) }},
		} {
			if search.name == "loop" && len(sc.Spheres) > 10_000 {
				continue // takes too long for many rays
			}
			for _, repeats := range []int{64, 1} {
				b.Run(fmt.Sprintf("search=%s-%s/repeats=%d", search.name, e.name, repeats), func(b *testing.B) {
					replay(b, rays, repeats, search.run)
				})
			}
		}
	}
}
