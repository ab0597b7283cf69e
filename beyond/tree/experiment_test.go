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

// soaOfScene returns the spheres of a scene in their order.
func soaOfScene(s *scene.Scene) *SphereSoA {
	var spheres SphereSoA
	for _, sphere := range s.Spheres {
		spheres.Append(ball(vec3(sphere.Center), sphere.Radius))
	}
	return &spheres
}

// replay searches for the hits of rays, again and again. An operation is a ray.
func replay(b *testing.B, w *World, rays []Ray) {
	s := newSearch(w)
	i := 0
	for b.Loop() {
		w.Hit(&rays[i], tMin, math.MaxFloat32, s)
		if i++; i == len(rays) {
			i = 0
		}
	}
}

// BenchmarkBuild builds trees. An operation is a sphere.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			spheres := soaOfScene(cloud(n))
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
		spheres, rays := soaOfScene(sc), pathRays(New(sc), longInput)
		for _, size := range []int{1, 4, 8, 16, 32, 64} {
			b.Run(fmt.Sprintf("scene=%s/leaf=%d", e.name, size), func(b *testing.B) {
				replay(b, newWorldOf(spheres, size, lanes), rays)
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
		spheres, rays := soaOfScene(sc), pathRays(New(sc), longInput)
		for _, width := range []int{2, 4, 8} {
			b.Run(fmt.Sprintf("scene=%s/boxes=%d", e.name, width), func(b *testing.B) {
				replay(b, newWorldOf(spheres, 32, width), rays)
			})
		}
	}
}

// BenchmarkReplay searches for the hits of few rays over and over, which the
// processor learns by heart, and of many.
func BenchmarkReplay(b *testing.B) {
	for _, e := range experiments {
		sc := e.scene()
		t := New(sc)
		l := newLinear(soaOfScene(sc))
		rays := pathRays(t, longInput)
		for _, n := range []int{16, longInput} {
			b.Run(fmt.Sprintf("scene=%s/search=tree/rays=%d", e.name, n), func(b *testing.B) {
				replay(b, t.world, rays[:n])
			})
			if len(sc.Spheres) > 10_000 {
				continue
			}
			b.Run(fmt.Sprintf("scene=%s/search=loop/rays=%d", e.name, n), func(b *testing.B) {
				i := 0
				for b.Loop() {
					l.hit(&rays[i], tMin, math.MaxFloat32)
					if i++; i == n {
						i = 0
					}
				}
			})
		}
	}
}
