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

// form is what computes the first pass, by what it takes the processor for.
type form struct {
	name             string
	bits256, bits512 bool
}

var forms = []form{{"plain", false, false}, {"archsimd256", true, false}, {"archsimd512", true, true}}

// choose makes tracers take this form, until the function is called that it
// returns. If the form cannot run here, it skips.
func (f form) choose(tb testing.TB) (restore func()) {
	before256, before512 := has256, has512
	if f.bits256 && !before256 || f.bits512 && !before512 {
		tb.Skip("not tested: this build or this processor cannot run it")
	}
	has256, has512 = f.bits256, f.bits512
	return func() { has256, has512 = before256, before512 }
}

// Whatever computes the first pass, the picture is the step's.
func TestForms(t *testing.T) {
	best := New(scene.Small()).Kernel()
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			defer f.choose(t)()
			assert.Equal(t, f.name, New(scene.Small()).Kernel())
			if f.name != best { // TestStep has tested the best one
				steptest.Run(t, New)
			}
		})
	}
}

// BenchmarkForms renders the scenes in every form that can run here.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Forms ./beyond/archsimd
func BenchmarkForms(b *testing.B) {
	s := common.Quick()
	for _, sc := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
		for _, form := range forms {
			b.Run(fmt.Sprintf("scene=%s/form=%s", sc.Name, form.name), func(b *testing.B) {
				defer form.choose(b)()
				tracer, f := New(sc), film.New(s.Width, s.Height)
				rays := int64(0)
				for b.Loop() {
					rays += tracer.Render(f, s)
				}
				b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
			})
		}
	}
}
