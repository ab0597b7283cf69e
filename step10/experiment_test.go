package step10

import (
	"math"
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Lengths|Chain' ./step10

// BenchmarkLengths runs the hit test over more and more spheres, by the twin and by the
// kernel; an operation is a ray.
func BenchmarkLengths(b *testing.B) {
	kerneltest.BenchLengths(b, &suite, "plain", func(p *firstPass, rays []Ray, n int) {
		for i := range n {
			closestGeneric(p, &rays[i%len(rays)], tMin, math.MaxFloat32)
		}
	})
	kerneltest.BenchLengths(b, &suite, "sse", func(p *firstPass, rays []Ray, n int) {
		for i := range n {
			p.closest(&rays[i%len(rays)], tMin, math.MaxFloat32)
		}
	})
}

// none is 0, which no compiler knows.
var none uint32

// BenchmarkChain reports how long a link of the chain takes that leads from one ray
// to the next, in cycles. The result of a link is its next input, so that nothing
// overlaps. The rays are in a room, a sphere seen from within: all hit it, and what
// makes the input from the result takes a subtraction and an addition, some six
// cycles. A bounce is all three links without that. The only guess is whether a point is
// in the ball; learned is a bounce whose random numbers begin again after 32, so that
// the processor knows them. Camera is a ray from the camera up to the bits of a hit
// test that finds nothing.
func BenchmarkChain(b *testing.B) {
	t := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
		{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}},
	}})
	sky := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{{Center: [3]float32{0, 1e4, 0}, Radius: 1}}})
	bounces := func(n, learn int) {
		for i := range n {
			if i%learn == 0 {
				t.rng = seed
			}
			closest, d := t.pass.closest(&t.ray, tMin, math.MaxFloat32)
			rec := t.world.hit(closest, &t.ray, d)
			t.ray, _, _ = (*rec.Material).Scatter(&t.ray, rec, &t.rng)
		}
	}
	for _, link := range []struct {
		name string
		run  func(n int)
	}{
		{"hit", func(n int) {
			for range n {
				_, d := t.pass.closest(&t.ray, tMin, math.MaxFloat32)
				t.ray.Direction.Z += d - d
			}
		}},
		{"surface", func(n int) {
			d := float32(1)
			for range n {
				rec := t.world.hit(0, &t.ray, d)
				d += rec.N.X - rec.N.X
			}
		}},
		{"scatter", func(n int) {
			rec := t.world.hit(0, &t.ray, 1)
			for i := range n {
				if i%32 == 0 {
					t.rng = seed
				}
				next, _, _ := (*rec.Material).Scatter(&t.ray, rec, &t.rng)
				rec.N = next.Direction
			}
		}},
		{"learned", func(n int) { bounces(n, 32) }},
		{"bounce", func(n int) { bounces(n, math.MaxInt) }},
		{"camera", func(n int) {
			sky.rng, sky.rays, sky.bounces = seed, 0, 50
			camera := NewCamera(&sky.camera, 16./9)
			for i := 0; sky.rays < int64(n); i++ {
				sky.rng ^= RNG(uint32(sky.pass.candidates[0]) & none)
				u := (float32(i%320) + sky.rng.Float32()) * (1. / 320)
				v := (float32(i/320%180) + sky.rng.Float32()) * (1. / 180)
				sky.ray = camera.Ray(u, v, &sky.rng)
				sky.color(&sky.ray, 0)
			}
		}},
	} {
		b.Run("link="+link.name, func(b *testing.B) {
			t.ray, t.rng = NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1}), seed
			kerneltest.BenchCycles(b, link.run)
		})
	}
}
