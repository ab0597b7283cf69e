package step09

import (
	"math"
	"testing"
	"time"

	"raysteps/common/scene"
)

// BenchmarkChain reports the cycles of a bounce in a room, a sphere seen from within,
// where each ray waits for the one before. The random numbers begin again after 32, so
// that no jump is mispredicted. The fastest group of bounces counts, since others are
// interrupted, and so does the fastest of as many chains of random numbers.
//
//	go test -run '^$' -bench Chain ./step09
func BenchmarkChain(b *testing.B) {
	const group = 256
	t := New(&scene.Scene{Spheres: []scene.Sphere{{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}}}})
	learned := func() {
		t.ray = NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
		for i := range group {
			if i%32 == 0 {
				t.rng = seed
			}
			t.world.Hit(&t.ray, tMin, math.MaxFloat32, &t.hit, t.discriminants)
			t.ray, _, _ = t.hit.Material.Scatter(&t.ray, &t.hit, &t.rng)
		}
	}
	b.Run("link=learned", func(b *testing.B) {
		rng, link, cycle := seed, math.Inf(1), math.Inf(1) // in seconds
		for b.Loop() {
			start := time.Now()
			for range group {
				rng.Uint32() // six operations, each of which waits for the one before
			}
			cycle = min(cycle, time.Since(start).Seconds()/(6*group))
			start = time.Now()
			learned()
			link = min(link, time.Since(start).Seconds()/group)
		}
		b.ReportMetric(link/cycle, "cycles/op")
	})
}
