//go:build instrument

package tree

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/apiprof"
	"raysteps/common/film"
	"raysteps/common/instrument"
	"raysteps/common/perf"
	"raysteps/common/scene"
	"raysteps/common/stats"
)

func TestInstruments(t *testing.T) {
	set := &instrument.Set{
		Stats:  instrument.NewRun(),
		Timers: new(perf.Timers),
		Passes: &apiprof.API{Name: "first pass", Log: io.Discard},
		Pixels: make([]int32, 80*60),
		Width:  80,
	}
	set.Timers.On()
	rays, err := New(scene.Medium()).RenderContext(instrument.NewContext(t.Context(), set), film.New(80, 60), settings(3))
	require.NoError(t, err)
	sum := int64(0)
	for _, n := range set.Pixels {
		sum += int64(n)
	}
	assert.Equal(t, rays, sum, "rays of all pixels")
	report := set.Stats.Report()
	assert.Equal(t, stats.Count(80*60*4), report.Value("Rays/Camera"))
	assert.Equal(t, stats.Quotient{Numerator: 46 * rays, Denominator: rays}, report.Value("Sphere tests/Tests per ray"))
	assert.Zero(t, report.OpenShards)
	assert.Zero(t, report.LostUpdates)
	calls := int64(0)
	for _, worker := range set.Timers.Report().Total() {
		for _, s := range worker["first pass"] {
			calls += int64(s.Calls)
		}
	}
	assert.Equal(t, rays, calls, "timed first passes")
}
