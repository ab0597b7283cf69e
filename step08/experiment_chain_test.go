package step08

import (
	"math"
	"testing"
	"time"

	"raysteps/common/scene"
)

// none is 0, which no compiler knows.
var none uint32

// BenchmarkChain reports cycles. Learned is a bounce in a room, a sphere seen from
// within, where each ray waits for the one before; its random numbers begin again after
// 32, so that no jump is mispredicted. Waiting is a ray of the small scene, where each
// path waits for the end of the one before.
//
//	go test -run '^$' -bench Chain ./step08
func BenchmarkChain(b *testing.B) {
	chain := func(name string, run func(n int)) {
		b.Run("link="+name, func(b *testing.B) {
			rng, start := seed, time.Now()
			const numbers = 100_000
			for range numbers {
				rng.Uint32() // six operations, each of which waits for the one before
			}
			cycle := float64(time.Since(start).Nanoseconds()) / (6 * numbers)
			none = uint32(rng) & 0
			b.ResetTimer()
			run(b.N)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/cycle, "cycles/op")
		})
	}
	t := New(&scene.Scene{Spheres: []scene.Sphere{{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}}}})
	chain("learned", func(n int) {
		t.ray = NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
		for i := range n {
			if i%32 == 0 {
				t.rng = seed
			}
			t.world.Hit(&t.ray, tMin, math.MaxFloat32, &t.hit, t.discriminants)
			t.ray, _, _ = t.hit.Material.Scatter(&t.ray, &t.hit, &t.rng)
		}
	})
	chain("waiting", func(n int) {
		t := New(scene.Small())
		camera := NewCamera(&t.camera, 16./9)
		t.rng, t.bounces = seed, 50
		for t.rays < int64(n) {
			t.rng ^= RNG(math.Float32bits(t.discriminants[0]) & none)
			t.ray = camera.Ray(t.rng.Float32(), t.rng.Float32(), &t.rng)
			t.color(&t.ray, 0)
		}
	})
}
