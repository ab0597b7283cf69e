package step08

import (
	"math"
	"testing"
	"time"

	"raysteps/common/scene"
)

// none is 0, which no compiler knows.
var none uint32

// BenchmarkChain reports the cycles of a bounce in a room, a sphere seen from within,
// where each ray waits for the one before, with random numbers that begin again after
// 32, so that no jump is mispredicted. Waiting is a ray of the small scene, where each
// path waits for the end of the one before, and ray is the same without waiting.
//
//	go test -run '^$' -bench Chain ./step08
func BenchmarkChain(b *testing.B) {
	room := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
		{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}},
	}})
	small := New(scene.Small())
	small.bounces = 50
	camera := NewCamera(&small.camera, 16./9)
	paths := func(n int, wait bool) {
		small.rng, small.rays = seed, 0
		for i := 0; small.rays < int64(n); i++ {
			if wait {
				small.rng ^= RNG(math.Float32bits(small.discriminants[0]) & none)
			}
			u := (float32(i%320) + small.rng.Float32()) / 320
			v := (float32(i/320%180) + small.rng.Float32()) / 180
			small.ray = camera.Ray(u, v, &small.rng)
			small.color(&small.ray, 0)
		}
	}
	for _, link := range []struct {
		name string
		run  func(n int)
	}{
		{"learned", func(n int) {
			room.ray = NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
			for i := range n {
				if i%32 == 0 {
					room.rng = seed
				}
				room.world.Hit(&room.ray, tMin, math.MaxFloat32, &room.hit, room.discriminants)
				room.ray, _, _ = room.hit.Material.Scatter(&room.ray, &room.hit, &room.rng)
			}
		}},
		{"waiting", func(n int) { paths(n, true) }},
		{"ray", func(n int) { paths(n, false) }},
	} {
		b.Run("link="+link.name, func(b *testing.B) {
			rng := seed
			start := time.Now()
			const numbers = 100_000
			for range numbers {
				rng.Uint32() // six operations, each of which waits for the one before
			}
			cycle := float64(time.Since(start).Nanoseconds()) / (6 * numbers)
			small.rng = rng
			b.ResetTimer()
			link.run(b.N)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/cycle, "cycles/op")
		})
	}
}
