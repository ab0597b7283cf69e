package step12

import (
	"math"
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Lengths|Uppers' ./step12

// BenchmarkLengths is that of step 10 for this step's kernel.
func BenchmarkLengths(b *testing.B) {
	if !hasKernel {
		b.Skip("not measured: this build or this processor has no kernel")
	}
	kerneltest.BenchLengths(b, &suite, "avx2", func(p *firstPass, rays []Ray, n int) {
		for i := range n {
			p.closest(&rays[i%len(rays)], tMin, math.MaxFloat32)
		}
	})
}

// BenchmarkUppers traces rays of the medium scene to their first hit and
// scatters them; an operation is a ray. After the hit test, the upper halves
// of the registers are clean, as VZEROUPPER leaves them, or hold something.
func BenchmarkUppers(b *testing.B) {
	if kernel != "avx2" || !hasKernel {
		b.Skip("not measured: this build or this processor has no AVX2")
	}
	s := scene.Medium()
	view := NewView(NewCamera(&s.Camera, 16./9), 16, 9)
	for _, tt := range []struct {
		name  string
		after func()
	}{{"clean", kerneltest.CleanUppers}, {"dirty", kerneltest.DirtyUppers}} {
		b.Run("uppers="+tt.name, func(b *testing.B) {
			t := New(s)
			t.rng = seeds
			for b.Loop() {
				view.At(8, 4)
				ray := view.Ray(&t.rng)
				if i, distance := t.pass.closest(&ray, tMin, math.MaxFloat32); i >= 0 {
					hit := t.world.hit(i, &ray, distance)
					tt.after()
					ray, _, _ = hit.Material.Scatter(&ray, hit, &t.rng)
				}
				tt.after()
			}
		})
	}
	kerneltest.CleanUppers()
}
