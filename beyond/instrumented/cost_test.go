package instrumented_test

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"raysteps/beyond/instrumented"
	"raysteps/common"
	"raysteps/common/apiprof"
	"raysteps/common/film"
	"raysteps/common/perf"
	"raysteps/common/phase"
	"raysteps/common/scene"
	"raysteps/step13"
)

// BenchmarkCost renders a picture of 320 x 192 pixels with step 13, with this
// package and nothing to measure, and with each of its instruments. They take
// turns: an operation is a picture of each, in random order, and what is reported
// is the median, over the operations, of the time against that of step 13. Two
// workers render.
//
//	go test -run '^$' -bench Cost -benchtime 20x -count 10 ./beyond/instrumented
func BenchmarkCost(b *testing.B) {
	for _, sc := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
		b.Run("scene="+sc.Name, func(b *testing.B) {
			f, s := film.New(320, 192), common.Settings{Samples: 4, Bounces: 50, Workers: 2}
			render := func(tracer common.Tracer) time.Duration {
				start := time.Now()
				tracer.Render(f, s)
				return time.Since(start)
			}
			// Statistics and timers are new for each picture, as they are for render.
			with := func(set func(*instrumented.Instruments)) func() time.Duration {
				tracer := instrumented.New(sc)
				return func() time.Duration {
					set(&tracer.Instruments)
					return render(tracer)
				}
			}
			base, plain := step13.New(sc), instrumented.New(sc)
			ways := []struct {
				name   string
				render func() time.Duration
			}{
				{"step13", func() time.Duration { return render(base) }},
				{"none", func() time.Duration { return render(plain) }},
				{"stats", with(func(in *instrumented.Instruments) { in.Stats = instrumented.Statistics.NewRun() })},
				{"phases", func() time.Duration {
					p, err := phase.Start()
					if err != nil {
						b.Skip(err) // with -cpuprofile
					}
					defer p.Stop()
					render(plain) // in which the profiler gets going
					return render(plain)
				}},
				{"perf", with(func(in *instrumented.Instruments) {
					in.Timers = new(perf.Timers)
					in.Timers.On()
				})},
				{"api", with(func(in *instrumented.Instruments) { in.HitTest = &apiprof.API{Name: "hit test", Log: io.Discard} })},
			}
			ratios := make([][]float64, len(ways))
			for b.Loop() {
				times := make([]time.Duration, len(ways))
				for _, i := range rand.Perm(len(ways)) {
					times[i] = ways[i].render()
				}
				for i, t := range times {
					ratios[i] = append(ratios[i], float64(t)/float64(times[0]))
				}
			}
			for i, way := range ways[1:] {
				slices.Sort(ratios[i+1])
				b.ReportMetric(ratios[i+1][len(ratios[i+1])/2], way.name+"-x")
			}
			b.ReportMetric(0, "ns/op") // of all together
		})
	}
}
