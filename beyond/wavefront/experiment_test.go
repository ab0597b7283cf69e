package wavefront

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// forms are those that can run here, the fastest first.
func forms() []*form {
	var can []*form
	for i := range vector {
		if f := &vector[i]; f.missing == "" {
			can = append(can, f)
		}
	}
	return append(can, &plain)
}

// BenchmarkForms renders the scenes by each form on one core.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Forms ./beyond/wavefront
func BenchmarkForms(b *testing.B) {
	for _, s := range builtin() {
		for _, form := range forms() {
			b.Run(fmt.Sprintf("scene=%s/kernel=%s", s.Name, form.name), func(b *testing.B) {
				benchmarkRender(b, newTracer(s, form))
			})
		}
	}
}

// BenchmarkLive renders the medium scene with so many rays under way.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Live ./beyond/wavefront
func BenchmarkLive(b *testing.B) {
	for _, live := range []int{32, 64, 128, 256, 512, 1024} {
		b.Run(fmt.Sprintf("live=%d", live), func(b *testing.B) {
			tracer := New(scene.Medium())
			tracer.live = live
			benchmarkRender(b, tracer)
		})
	}
}

// BenchmarkWorkers renders the scenes on one core, and on all.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Workers ./beyond/wavefront
func BenchmarkWorkers(b *testing.B) {
	for _, s := range builtin() {
		for _, workers := range slices.Compact([]int{1, runtime.NumCPU()}) {
			b.Run(fmt.Sprintf("scene=%s/workers=%d", s.Name, workers), func(b *testing.B) {
				benchmarkWorkers(b, New(s), film.New(640, 360), workers)
			})
		}
	}
}

func benchmarkRender(b *testing.B, t *Tracer) { benchmarkWorkers(b, t, film.New(80, 60), 1) }

func benchmarkWorkers(b *testing.B, t *Tracer, f *film.Film, workers int) {
	rays := int64(0)
	for b.Loop() {
		rays += t.Render(f, common.Settings{Samples: 4, Bounces: 50, Workers: workers})
	}
	b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
}

// BenchmarkSearch looks for the closest sphere by p and q first, or solves the
// equation of each; an operation is a ray.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Search ./beyond/wavefront
func BenchmarkSearch(b *testing.B) {
	for _, s := range builtin() {
		for _, first := range []string{"equation", "side"} {
			b.Run(fmt.Sprintf("scene=%s/first=%s", s.Name, first), func(b *testing.B) {
				tracer, f := underWay(s)
				spheres := tracer.spheres
				spheres.all = first == "equation"
				search := newSearch(&spheres)
				b.ResetTimer()
				for done := 0; done < b.N; done += f.n {
					tracer.form.hit(search, f)
				}
			})
		}
	}
}

// BenchmarkStages times the stages of the medium scene; an operation is a ray.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Stages ./beyond/wavefront
func BenchmarkStages(b *testing.B) {
	s := scene.Medium()
	for _, form := range forms() {
		if form == &plain {
			continue
		}
		tracer, hit := underWay(s)
		camera, search := NewCamera(&s.Camera, 1280, 720), newSearch(&tracer.spheres)
		parted := newFront()
		*parted = *hit
		plain.part(parted, 50)
		colors := new(sums)
		for _, stage := range []struct {
			name string
			from *front
			run  func(f *front)
		}{
			{"draw", hit, func(f *front) {
				for f.n = 0; f.n+group <= hit.n; {
					form.draw(f, &block{width: blockSide, height: blockSide, stride: 1280, n: 1, number: uint32(f.n)})
				}
			}},
			{"aim", hit, func(f *front) { form.aim(f, camera, 0) }},
			{"hit", hit, func(f *front) { form.hit(search, f) }},
			{"part", hit, func(f *front) { form.part(f, 50) }},
			{"collect", parted, func(f *front) { form.collect(f, colors) }},
			{"scatter", parted, func(f *front) { form.scatter(f, &tracer.surfaces) }},
		} {
			b.Run(fmt.Sprintf("kernel=%s/stage=%s", form.name, stage.name), func(b *testing.B) {
				// A stage changes what it works on, so it gets a new copy each
				// time: a few of them, as stopping the clock takes long.
				fronts := [...]*front{newFront(), newFront(), newFront(), newFront()}
				for done := 0; done < b.N; {
					b.StopTimer()
					for _, f := range fronts {
						*f = *stage.from
					}
					b.StartTimer()
					for _, f := range fronts {
						stage.run(f)
						done += stage.from.n
					}
				}
			})
		}
	}
}
