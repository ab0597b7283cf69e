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
	"raysteps/common/steptest"
)

func TestInstruments(t *testing.T) {
	set := &instrument.Set{
		Stats:  instrument.NewRun(),
		Timers: new(perf.Timers),
		Passes: &apiprof.API{Name: "search", Log: io.Discard},
		Pixels: make([]int32, 80*60),
		Width:  80,
	}
	set.Timers.On()
	s := steptest.Settings(t)
	s.Workers = 3
	rays, err := New(scene.Large()).RenderContext(instrument.NewContext(t.Context(), set), film.New(80, 60), s)
	require.NoError(t, err)
	report := set.Stats.Report()
	assert.Equal(t, stats.Count(80*60*s.Samples), report.Value("Rays/Camera"))
	assert.Zero(t, report.OpenShards)
	assert.Zero(t, report.LostUpdates)

	spheres := report.Value("Sphere tests/Tests per ray").(stats.Quotient)
	assert.Equal(t, rays, spheres.Denominator)
	assert.Zero(t, spheres.Numerator%lanes, "whole groups")
	assert.Greater(t, spheres.Numerator, rays*lanes/2)
	assert.Less(t, spheres.Numerator, rays*484, "fewer than all")
	_, width := form()
	nodes, boxes := report.Value("Tree/Nodes per ray").(stats.Quotient), report.Value("Tree/Boxes per ray").(stats.Quotient)
	assert.Equal(t, rays, nodes.Denominator)
	assert.GreaterOrEqual(t, nodes.Numerator, rays, "the root")
	assert.Equal(t, stats.Quotient{Numerator: nodes.Numerator * int64(width), Denominator: rays}, boxes)

	calls := int64(0)
	for _, worker := range set.Timers.Report().Total() {
		for _, s := range worker["first pass"] {
			calls += int64(s.Calls)
		}
	}
	assert.Equal(t, rays, calls, "timed searches")
}
