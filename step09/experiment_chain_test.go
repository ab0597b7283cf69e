package step09

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
//	go test -run '^$' -bench Chain ./step09
func BenchmarkChain(b *testing.B) {
	// chain times groups of so many links. The fastest counts, since others are
	// interrupted, and so does the fastest of as many chains of random numbers.
	const group = 256
	chain := func(name string, run func()) {
		b.Run("link="+name, func(b *testing.B) {
			rng, link, cycle := seed, math.Inf(1), math.Inf(1) // in seconds
			for b.Loop() {
				start := time.Now()
				for range group {
					rng.Uint32() // six operations, each of which waits for the one before
				}
				cycle = min(cycle, time.Since(start).Seconds()/(6*group))
				start = time.Now()
				run()
				link = min(link, time.Since(start).Seconds()/group)
			}
			b.ReportMetric(link/cycle, "cycles/op")
		})
	}
	t := New(&scene.Scene{Spheres: []scene.Sphere{{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}}}})
	chain("learned", func() {
		t.ray = NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
		for i := range group {
			if i%32 == 0 {
				t.rng = seed
			}
			t.world.Hit(&t.ray, tMin, math.MaxFloat32, &t.hit, t.discriminants)
			t.ray, _, _ = t.hit.Material.Scatter(&t.ray, &t.hit, &t.rng)
		}
	})
	small := New(scene.Small())
	small.rng, small.bounces = seed, 50
	camera := NewCamera(&small.camera, 16./9)
	chain("waiting", func() {
		for small.rays = 0; small.rays < group; {
			small.rng ^= RNG(math.Float32bits(small.discriminants[0]) & none)
			small.ray = camera.Ray(small.rng.Float32(), small.rng.Float32(), &small.rng)
			small.color(&small.ray, 0)
		}
	})
}
