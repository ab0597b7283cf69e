//go:build !purego

package step12

import (
	"math"
	"testing"

	"raysteps/common/scene"
)

// BenchmarkUppers traces rays of the medium scene to their first hit and
// scatters them; an operation is a ray. After the first pass, the upper halves
// of the registers are clean, as VZEROUPPER leaves them, or hold something.
//
//	go test -run '^$' -bench Uppers ./step12
func BenchmarkUppers(b *testing.B) {
	if !hasAVX2 {
		b.Skip("not measured: the processor has no AVX2")
	}
	s := scene.Medium()
	camera := NewCamera(&s.Camera, 16./9)
	for _, tt := range []struct {
		name  string
		after func()
	}{{"clean", cleanUppers}, {"dirty", dirtyUppers}} {
		b.Run("uppers="+tt.name, func(b *testing.B) {
			t := New(s)
			t.rng = seeds
			for b.Loop() {
				t.rng.FillPair()
				u, v := t.rng.Pair()
				ray := camera.Ray(u, v, &t.rng)
				if hit, ok := t.world.Hit(&ray, tMin, math.MaxFloat32, t.pass); ok {
					tt.after()
					ray, _, _ = hit.Material.Scatter(&ray, hit, &t.rng)
				}
				tt.after()
			}
		})
	}
	cleanUppers()
}
