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

// mediumCamera is the number of camera rays, and of paths, of the pictures of this test.
const mediumCamera = int64(80 * 60 * 4)

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
			checkRays(t, report, rays)
			checkTests(t, report, rays)
			assert.Equal(t, stats.Bytes(48*(5*4+16)), report.Value("Memory/Spheres"))
			tiles := report.Value("Time/Tiles").(stats.Elapsed)
			assert.Equal(t, int64(6), tiles.Calls)
			assert.Positive(t, tiles.Time)

			checkTimers(t, in.Timers.Report(), rays)
			checkLines(t, lines.String(), rays)
		})
	}
}

func count(report *stats.Report, title string) int64 { return int64(report.Value(title).(stats.Count)) }

// checkRays holds what a report says of rays, hits and paths to the number of rays.
func checkRays(t *testing.T, report *stats.Report, rays int64) {
	assert.Equal(t, mediumCamera, count(report, "Rays/Camera"))
	scattered, hits := int64(0), int64(0)
	for _, kind := range []string{"lambertian", "metal", "dielectric"} {
		n, of := count(report, "Rays/Scattered by "+kind), count(report, "Hits/"+kind)
		assert.Positive(t, n)
		assert.LessOrEqual(t, n, of)
		scattered, hits = scattered+n, hits+of
	}
	assert.Equal(t, rays, mediumCamera+scattered)
	assert.Less(t, hits, rays)

	distance := report.Value("Hits/Distance").(stats.Floats)
	assert.Equal(t, hits, distance.Count)
	assert.Greater(t, distance.Min, tracing.TMin)
	assert.Less(t, distance.Max, 2000.)

	paths := report.Value("Paths/Rays").(stats.Ints)
	assert.Equal(t, mediumCamera, paths.Count)
	assert.Equal(t, int64(1), paths.Min, "a path to the sky")
	assert.LessOrEqual(t, paths.Max, int64(51))
	assert.InEpsilon(t, float64(rays)/float64(mediumCamera), paths.Mean(), 1e-12)
}

// checkTests holds what a report says of tests of spheres to 46 of them a ray.
func checkTests(t *testing.T, report *stats.Report, rays int64) {
	perRay := report.Value("Sphere tests/Tests per ray")
	assert.Equal(t, stats.Quotient{Numerator: 46 * rays, Denominator: rays}, perRay)
	positive := report.Value("Sphere tests/Discriminants not negative").(stats.Share)
	assert.Equal(t, 46*rays, positive.Whole)
	assert.Greater(t, positive.Part, report.Value("Hits/Distance").(stats.Floats).Count)
}

// checkTimers holds the calls that were timed to the pixels of the picture and to the rays.
func checkTimers(t *testing.T, report perf.Report, rays int64) {
	pixels, tests := int64(0), int64(0)
	for _, worker := range report {
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
}

// checkLines holds the calls in the lines of the interface's profile to the rays.
func checkLines(t *testing.T, lines string, rays int64) {
	calls := int64(0)
	for line := range strings.Lines(lines) {
		_, text, _ := strings.Cut(line, " %, ")
		var n int64
		_, err := fmt.Sscanf(text, "%d calls", &n)
		require.NoError(t, err, line)
		calls += n
	}
	assert.Equal(t, rays, calls)
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
