package archsimd

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// Whatever the processor makes of the first pass, the picture is the step's.
func TestForms(t *testing.T) {
	best := New(scene.Small()).Kernel()
	forEach(t, func(t *testing.T, impl implementation) {
		defer choose(impl.name)()
		want := impl.name
		if want == "generic" {
			want = "plain"
		}
		assert.Equal(t, want, New(scene.Small()).Kernel())
		if want != best { // TestStep has tested the best one
			steptest.Run(t, New)
		}
	})
}

// BenchmarkForms renders the scenes in every form that can run here.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Forms ./beyond/archsimd
func BenchmarkForms(b *testing.B) {
	s := common.Quick()
	for _, sc := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
		for _, impl := range implementations {
			if impl.missing != "" {
				continue
			}
			restore := choose(impl.name)
			tracer, f := New(sc), film.New(s.Width, s.Height)
			b.Run(fmt.Sprintf("scene=%s/form=%s", sc.Name, tracer.Kernel()), func(b *testing.B) {
				rays := int64(0)
				for b.Loop() {
					rays += tracer.Render(f, s)
				}
				b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
			})
			restore()
		}
	}
}
