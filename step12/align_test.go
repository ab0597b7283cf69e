package step12

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"raysteps/common/mem"
	"raysteps/common/scene"
)

// The experiment on where columns begin. It runs with
//
//	go test -run '^$' -bench Alignment ./step12

// shiftedPass is the first pass over columns that start so many bytes after a
// multiple of 64. As in a SphereSoA they share a block, which is shifted as a
// whole.
func shiftedPass(s *SphereSoA, bytes int) *firstPass {
	p := newFirstPass(s)
	n := len(p.cx)
	size := (n + 15) / 16 * 16 // of a column, up to where the next can start
	block := mem.Aligned[float32](4*size+16, mem.CacheLine)[bytes/4:]
	for i, column := range []*[]float32{&p.cx, &p.cy, &p.cz, &p.radiusSq} {
		shifted := block[i*size:][:n]
		copy(shifted, *column)
		*column = shifted
	}
	return p
}

// The operands of AVX instructions in memory may be anywhere. Off by 32 bytes, all
// of a column are still within a cache line; otherwise every second one crosses
// from one into the next.
var shifts = []int{0, 4, 16, 32}

// BenchmarkAlignment runs the first pass over the 484 spheres of the large scene,
// with columns off a cache line by so many bytes; an operation is a ray.
func BenchmarkAlignment(b *testing.B) {
	if assembly.missing != "" {
		b.Skip("not measured: " + assembly.missing)
	}
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	rng := seeds
	var rays [4096]Ray
	for i := range rays {
		rng.FillPair()
		u, v := rng.Pair()
		rays[i] = camera.Ray(u, v, &rng)
	}
	spheres := &New(s).world.Spheres
	for _, off := range shifts {
		b.Run(fmt.Sprintf("kernel=%s/off=%d", assembly.name, off), func(b *testing.B) {
			p := shiftedPass(spheres, off)
			for i := uint(0); b.Loop(); i++ {
				assembly.run(p, &rays[i%uint(len(rays))])
			}
		})
	}
}

// TestAlignment holds the shifted columns to the candidates of the aligned ones.
func TestAlignment(t *testing.T) {
	forEach(t, func(t *testing.T, impl implementation) {
		rng := rand.New(rand.NewPCG(10, 8))
		spheres := randomSpheres(rng, 100)
		_, want := worldOf(spheres)
		w, _ := worldOf(spheres)
		for _, off := range shifts {
			p := shiftedPass(&w.Spheres, off)
			for range 100 {
				r := randomRay(rng, spheres)
				impl.run(p, r)
				want.runGeneric(r)
				if got, want := p.candidates, want.candidates; !slices.Equal(got, want) {
					t.Fatalf("off by %d bytes, ray %v: candidates %b; want %b", off, *r, got, want)
				}
			}
		}
	})
}
