package wavefront

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"raysteps/common"
	"raysteps/common/clock"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/steptest"
)

var (
	workersFlag = flag.String("workers", "1,"+strconv.Itoa(runtime.NumCPU()), "numbers of workers for BenchmarkSweep")
	tilesFlag   = flag.String("tiles", strconv.Itoa(tileSize), "side of tiles for BenchmarkSweep; there is one size")
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

// BenchmarkLive renders the large scene with so many rays under way.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Live ./beyond/wavefront
func BenchmarkLive(b *testing.B) {
	for _, live := range []int{32, 128, 512, 1024, 2048} {
		b.Run(fmt.Sprintf("live=%d", live), func(b *testing.B) {
			tracer := New(scene.Large())
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

// BenchmarkSweep renders pictures in full size with every number of workers of the
// flag -workers. It runs with
//
//	go run ./scripts/bench -step wavefront -workers 1,2
func BenchmarkSweep(b *testing.B) {
	if *tilesFlag != strconv.Itoa(tileSize) {
		b.Fatalf("-tiles is %q; want %d, the only size here", *tilesFlag, tileSize)
	}
	s := steptest.BenchSettings(b)
	steptest.Describe(s, New(scene.Small()))
	for _, sc := range builtin() {
		for item := range strings.SplitSeq(*workersFlag, ",") {
			workers, err := strconv.Atoi(item)
			if err != nil || workers < 1 {
				b.Fatalf("-workers is %q; want positive numbers such as 1,2,4", *workersFlag)
			}
			b.Run(fmt.Sprintf("scene=%s/tile=%d/workers=%d", sc.Name, tileSize, workers), func(b *testing.B) {
				tracer, f, rays := New(sc), film.New(s.Width, s.Height), int64(0)
				s := s
				s.Workers = workers
				for b.Loop() {
					rays += tracer.Render(f, s)
				}
				b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
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
// equation of each; an operation is a ray. There are no beams.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Search ./beyond/wavefront
func BenchmarkSearch(b *testing.B) {
	for _, s := range builtin() {
		for _, first := range []string{"equation", "sieve"} {
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

// BenchmarkInRender says what the stages take within a render, a ray: together
// with the rest, which begins paths and finishes tiles, they are all of it. A
// clock is read twice for each call of a stage, of a hundred rays and more.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench InRender ./beyond/wavefront
func BenchmarkInRender(b *testing.B) {
	for _, s := range builtin() {
		for _, form := range forms() {
			if form == &plain {
				continue
			}
			b.Run(fmt.Sprintf("kernel=%s/scene=%s", form.name, s.Name), func(b *testing.B) {
				var spent stageTimes
				tracer, f, rays := newTracer(s, spent.timed(form)), film.New(640, 360), int64(0)
				for b.Loop() {
					rays += tracer.Render(f, common.Settings{Samples: 10, Bounces: 50, Workers: 1})
				}
				rest := b.Elapsed()
				report := func(stage string, d time.Duration) {
					b.ReportMetric(float64(d.Nanoseconds())/float64(rays), stage+"-ns")
					rest -= d
				}
				report("draw", spent.draw)
				report("aim", spent.aim)
				report("hit", spent.hit)
				report("part", spent.part)
				report("collect", spent.collect)
				report("scatter", spent.scatter)
				report("rest", rest)
				report("ray", b.Elapsed())
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// stageTimes is how long the stages of one worker took.
type stageTimes struct{ draw, aim, hit, part, collect, scatter time.Duration }

// timed returns a form whose stages add up their times.
func (s *stageTimes) timed(of *form) *form {
	f := *of
	since := func(start time.Duration, to *time.Duration) { *to += clock.Now() - start }
	f.draw = func(f *front, b *block) {
		start := clock.Now()
		of.draw(f, b)
		since(start, &s.draw)
	}
	f.aim = func(f *front, c *Camera, from int) {
		start := clock.Now()
		of.aim(f, c, from)
		since(start, &s.aim)
	}
	f.hit = func(search *search, f *front) {
		start := clock.Now()
		of.hit(search, f)
		since(start, &s.hit)
	}
	f.part = func(f *front, bounces int) {
		start := clock.Now()
		of.part(f, bounces)
		since(start, &s.part)
	}
	f.collect = func(f *front, sums *sums) {
		start := clock.Now()
		of.collect(f, sums)
		since(start, &s.collect)
	}
	f.scatter = func(f *front, surfaces *surfaces) {
		start := clock.Now()
		of.scatter(f, surfaces)
		since(start, &s.scatter)
	}
	return &f
}
