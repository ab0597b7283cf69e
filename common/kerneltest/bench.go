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

// time times a kernel on a wall of spheres of such a size that a ray has some 1.3
// candidates on average, as in the medium and the large scene; and on so many rays
// that the processor cannot learn their candidates by heart.
func (s *Suite) time(b *testing.B, k *Kernel, variant string, n, off int) {
	b.Run(fmt.Sprintf("kernel=%s/%s", k.Name, variant), func(b *testing.B) {
		k.skip(b)
		rng := rand.New(rand.NewPCG(10, 6))
		radiusSq := float32(1.4 * 4 / math.Pi / float64(n))
		spheres := make([]Sphere, n)
		for i := range spheres {
			at := randomVec(rng, 1)
			spheres[i] = sphereAt(at[0], at[1], 10+at[2], radiusSq)
		}
		var rays [4096]Ray
		for i := range rays {
			at := randomVec(rng, 1)
			rays[i].Direction = Vec{at[0], at[1], 10}.unit()
		}
		p := s.Columns(spheres)
		if off != 0 {
			for _, column := range []*[]float32{&p.CX, &p.CY, &p.CZ, &p.RadiusSq} {
				shifted := NewGuarded[float32](len(*column), off).Elements
				copy(shifted, *column)
				*column = shifted
			}
		}
		closest := k.Bind(&p)
		for i := uint(0); b.Loop(); i++ {
			closest(&rays[i%uint(len(rays))], tMin, math.MaxFloat32)
		}
		const flops = 3 + 5 + 5 + 1 + 2 // a sphere's in the first pass; those of the few candidates do not count
		seconds := b.Elapsed().Seconds()
		b.ReportMetric(seconds*1e9/float64(b.N*n), "ns/sphere")
		b.ReportMetric(flops*float64(n)*float64(b.N)/seconds, "flop/s")
	})
}
