package wavefront

import (
	"fmt"
	"slices"
	"testing"

	"raysteps/common"
	"raysteps/common/film"
)

// forms are those that can run here, the fastest first.
func forms() []form { return append(slices.Clone(vector), plain) }

// BenchmarkForms renders the scenes by each form on one core.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Forms ./beyond/wavefront
func BenchmarkForms(b *testing.B) {
	for _, s := range builtin() {
		for _, form := range forms() {
			b.Run(fmt.Sprintf("scene=%s/kernel=%s", s.Name, form.name), func(b *testing.B) {
				tracer, f, rays := newTracer(s, &form), film.New(80, 60), int64(0)
				for b.Loop() {
					rays += tracer.Render(f, common.Settings{Samples: 4, Bounces: 50, Workers: 1})
				}
				b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
			})
		}
	}
}
