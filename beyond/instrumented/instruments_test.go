package instrumented

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/beyond/tracing"
	"raysteps/common"
	"raysteps/common/apiprof"
	"raysteps/common/film"
	"raysteps/common/perf"
	"raysteps/common/scene"
	"raysteps/common/stats"
	"raysteps/common/steptest"
)

// all returns every instrument for pictures of 80x60, and where lines go.
func all() (in Instruments, lines *bytes.Buffer) {
	lines = new(bytes.Buffer)
	in = Instruments{
		Stats:   Statistics.NewRun(),
		Timers:  new(perf.Timers),
		HitTest: &apiprof.API{Name: "hit test", Log: lines},
	}
	in.Timers.On()
	return in, lines
}

// The picture with all instruments is that of step 13. What they say agrees with what is
// known otherwise, and with each other, for any number of workers.
func TestInstruments(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			s, f := common.Quick(), film.New(80, 60)
			s.Workers = workers
			tracer := New(scene.Medium())
			in, lines := all()
			tracer.Instruments = in
			rays := tracer.Render(f, s)
			steptest.CheckAnswer(t, "step13", "medium quick", f, rays)

			report := in.Stats.Report()
			assert.Zero(t, report.OpenShards)
			count := func(title string) int64 { return int64(report.Value(title).(stats.Count)) }
			const camera = 80 * 60 * 4
			assert.Equal(t, int64(camera), count("Rays/Camera"))
			scattered, hits := int64(0), int64(0)
			for _, kind := range []string{"lambertian", "metal", "dielectric"} {
				assert.Positive(t, count("Rays/Scattered by "+kind))
				assert.LessOrEqual(t, count("Rays/Scattered by "+kind), count("Hits/"+kind))
				scattered += count("Rays/Scattered by " + kind)
				hits += count("Hits/" + kind)
			}
			assert.Equal(t, rays, camera+scattered)
			assert.Less(t, hits, rays)

			distance := report.Value("Hits/Distance").(stats.Floats)
			assert.Equal(t, hits, distance.Count)
			assert.Greater(t, distance.Min, tracing.TMin)
			assert.Less(t, distance.Max, 2000.)
			paths := report.Value("Paths/Rays").(stats.Ints)
			assert.Equal(t, int64(camera), paths.Count)
			assert.Equal(t, int64(1), paths.Min, "a path to the sky")
			assert.LessOrEqual(t, paths.Max, int64(51))
			assert.InEpsilon(t, float64(rays)/camera, paths.Mean(), 1e-12)

			assert.Equal(t, stats.Quotient{Numerator: 46 * rays, Denominator: rays}, report.Value("Sphere tests/Tests per ray"))
			positive := report.Value("Sphere tests/Discriminants not negative").(stats.Share)
			assert.Equal(t, 46*rays, positive.Whole)
			assert.Greater(t, positive.Part, hits)

			assert.Equal(t, stats.Bytes(48*(5*4+16)), report.Value("Memory/Spheres"))

			tiles := report.Value("Time/Tiles").(stats.Elapsed)
			assert.Equal(t, int64(6), tiles.Calls)
			assert.Positive(t, tiles.Time)
			pixels, tests := int64(0), int64(0)
			for _, worker := range in.Timers.Report() {
				for _, sum := range worker["tile"] {
					pixels += sum.Calls * sum.Bytes / 12
				}
				for _, sum := range worker["hit test"] {
					assert.Equal(t, []int64{48 * 6 * 4, 48 * 16}, []int64{sum.Bytes, sum.Flops})
					tests += sum.Calls
				}
			}
			assert.Equal(t, int64(80*60), pixels)
			assert.Equal(t, rays, tests)

			calls := int64(0)
			for line := range strings.Lines(lines.String()) {
				_, text, _ := strings.Cut(line, " %, ")
				var n int64
				_, err := fmt.Sscanf(text, "%d calls", &n)
				require.NoError(t, err, line)
				calls += n
			}
			assert.Equal(t, rays, calls)
		})
	}
}

// Discriminants that are not negative are as many as the article says, of larger pictures.
func TestDiscriminants(t *testing.T) {
	for _, tt := range []struct {
		scene *scene.Scene
		share float64
	}{{scene.Small(), 0.2134}, {scene.Medium(), 0.0368}, {scene.Large(), 0.0045}} {
		tracer, run := New(tt.scene), Statistics.NewRun()
		tracer.Instruments.Stats = run
		tracer.Render(film.New(160, 90), common.Settings{Samples: 4, Bounces: 50, Workers: 1})
		got := run.Report().Value("Sphere tests/Discriminants not negative").(stats.Share)
		assert.InEpsilon(t, tt.share, float64(got.Part)/float64(got.Whole), 0.02, tt.scene.Name)
	}
}
