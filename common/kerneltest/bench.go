package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Bench times every kernel alone that can run here; an operation is a ray.
func (s *Suite) Bench(b *testing.B) {
	for i := range s.Kernels {
		for _, n := range []int{8, 48, 484, 4096} {
			s.time(b, &s.Kernels[i], fmt.Sprintf("n=%d", n), n, 0)
		}
	}
}

// BenchAlignment times every kernel but the twin with the columns of 484 spheres
// off a cache line by so many bytes; an operation is a ray.
func (s *Suite) BenchAlignment(b *testing.B) {
	for i := range s.Kernels[1:] {
		for _, off := range []int{0, 4, 16, 32, 48} {
			if k := &s.Kernels[1+i]; off%k.Align == 0 {
				s.time(b, k, fmt.Sprintf("off=%d", off), 484, off)
			}
		}
	}
}

// wall returns n spheres of such a size that one of the rays has some 1.3 candidates on
// average (1.7 in the medium scene, 2.2 in the large one). The rays are so many that the processor
// cannot learn their candidates by heart.
func wall(n int) ([]Sphere, []Ray) {
	rng := rand.New(rand.NewPCG(10, 6))
	radiusSq := float32(1.4 * 4 / math.Pi / float64(n))
	spheres, rays := make([]Sphere, n), make([]Ray, 4096)
	for i := range spheres {
		at := randomVec(rng, 1)
		spheres[i] = sphereAt(at[0], at[1], 10+at[2], radiusSq)
	}
	for i := range rays {
		at := randomVec(rng, 1)
		rays[i].Direction = Vec{at[0], at[1], 10}.unit()
	}
	return spheres, rays
}

// time times a kernel on a wall.
func (s *Suite) time(b *testing.B, k *Kernel, variant string, n, off int) {
	b.Run(fmt.Sprintf("kernel=%s/%s", k.Name, variant), func(b *testing.B) {
		k.skip(b)
		spheres, rays := wall(n)
		p := s.Columns(spheres)
		if off != 0 {
			for _, column := range []*[]float32{&p.CX, &p.CY, &p.CZ, &p.RadiusSq} {
				shifted := NewGuarded[float32](len(*column), off).Elements
				copy(shifted, *column)
				*column = shifted
			}
		}
		closest := k.Bind(&p)
		for i := 0; b.Loop(); i++ {
			closest(&rays[i%len(rays)], tMin, math.MaxFloat32)
		}
		// Of a sphere in the first pass; the few candidates have more, which do not count.
		const flops = 3 + 5 + 5 + 1 + 2
		seconds := b.Elapsed().Seconds()
		b.ReportMetric(seconds*1e9/float64(b.N*n), "ns/sphere")
		b.ReportMetric(flops*float64(n)*float64(b.N)/seconds, "flop/s")
	})
}

// BenchCycles reports how many cycles an operation takes. Run does n of them.
func BenchCycles(b *testing.B, run func(n int)) {
	b.ReportMetric(cyclesOf(b, run), "cycles/op")
}

func cyclesOf(b *testing.B, run func(n int)) float64 {
	cycle := cycle()
	b.ResetTimer()
	run(b.N)
	return float64(b.Elapsed().Nanoseconds()) / float64(b.N) / cycle
}

// cycle returns how long a cycle of the processor takes, in nanoseconds: a random number
// takes six operations, each of which waits for the one before.
func cycle() float64 {
	const numbers = 100_000
	x, start := uint32(1), time.Now()
	for range numbers {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 15
	}
	spent := time.Since(start)
	if x == 0 { // never, but the compiler does not know
		panic(x)
	}
	return float64(spent.Nanoseconds()) / (6 * numbers)
}
