package step12

import (
	"math"
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench Uppers ./step12

// BenchmarkUppers traces rays of the medium scene to their first hit and
// scatters them; an operation is a ray. After the hit test, the upper halves
// of the registers are clean, as VZEROUPPER leaves them, or hold something.
func BenchmarkUppers(b *testing.B) {
	if kernel != "avx2" {
		b.Skip("not measured: this build or this processor has no AVX2")
	}
	s := scene.Medium()
	camera := NewCamera(&s.Camera, 16./9)
	for _, tt := range []struct {
		name  string
		after func()
	}{{"clean", kerneltest.CleanUppers}, {"dirty", kerneltest.DirtyUppers}} {
		b.Run("uppers="+tt.name, func(b *testing.B) {
			t := New(s)
			t.rng = seed()
			for b.Loop() {
				at := t.rng.InCube()
				t.ray = camera.Ray((8+0.5*(at.X+1))/16, (4+0.5*(at.Y+1))/9, &t.rng)
				if i, distance := t.test.Closest(&t.ray, tMin, math.MaxFloat32); i >= 0 {
					hit := t.world.Hit(i, &t.ray, distance)
					tt.after()
					t.ray, _, _ = (*hit.Material).Scatter(&t.ray, hit, &t.rng)
				}
				tt.after()
			}
		})
	}
	kerneltest.CleanUppers()
}
