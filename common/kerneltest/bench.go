package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Bench times every kernel alone that can run here; an operation is a ray.
func (s *Suite) Bench(b *testing.B) {
	for i := range s.Kernels {
		k := &s.Kernels[i]
		for _, n := range []int{8, 48, 484, 4096} {
			b.Run(fmt.Sprintf("kernel=%s/n=%d", k.Name, n), func(b *testing.B) {
				k.skip(b)
				p, rays := s.wall(n)
				seconds := timeRays(b, k.Bind(&p), rays)
				// The operations that a sphere takes in the first pass; those of the
				// few candidates do not count. 3 subtractions for the vector
				// between origin and center, 5 for the coefficient, 5 for the squared
				// length of the vector, 1 to subtract the squared radius, 2 for the
				// discriminant.
				const flops = 3 + 5 + 5 + 1 + 2
				b.ReportMetric(seconds*1e9/float64(b.N*n), "ns/sphere")
				b.ReportMetric(flops*float64(n)*float64(b.N)/seconds, "flop/s")
			})
		}
	}
}

// BenchAlignment times every kernel but the twin with the columns of 484 spheres
// off a cache line by so many bytes; an operation is a ray.
func (s *Suite) BenchAlignment(b *testing.B) {
	for i := range s.Kernels[1:] {
		k := &s.Kernels[1+i]
		for _, off := range []int{0, 4, 16, 32, 48} {
			if off%k.Align != 0 {
				continue
			}
			b.Run(fmt.Sprintf("kernel=%s/off=%d", k.Name, off), func(b *testing.B) {
				k.skip(b)
				p, rays := s.wall(484)
				p = shifted(&p, off)
				timeRays(b, k.Bind(&p), rays)
			})
		}
	}
}

// wall returns a wall of spheres of such a size that a ray has some 1.3
// candidates on average, as in the medium and the large scene; and so many rays
// that the processor cannot learn their candidates by heart.
func (s *Suite) wall(n int) (Pass, []Ray) {
	rng := rand.New(rand.NewPCG(10, 6))
	radiusSq := float32(1.4 * 4 / math.Pi / float64(n))
	spheres := make([]Sphere, n)
	for i := range spheres {
		at := RandomVec(rng, 1)
		spheres[i] = sphereAt(at[0], at[1], 10+at[2], radiusSq)
	}
	rays := make([]Ray, 4096)
	for i := range rays {
		at := RandomVec(rng, 1)
		rays[i].Direction = Vec{at[0], at[1], 10}.unit()
	}
	return s.Columns(spheres), rays
}

// timeRays runs a kernel on one ray after the other, and returns how many
// seconds that took.
func timeRays(b *testing.B, run Closest, rays []Ray) float64 {
	for i := uint(0); b.Loop(); i++ {
		run(&rays[i%uint(len(rays))], tMin, math.MaxFloat32)
	}
	return b.Elapsed().Seconds()
}
