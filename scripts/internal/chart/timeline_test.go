package chart

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"raysteps/scripts/internal/timeline"
)

func TestDrawTimeline(t *testing.T) {
	const ms = time.Millisecond
	between := func(start, end time.Duration) timeline.Span { return timeline.Span{Start: start * ms, End: end * ms} }
	run := func(goroutine int64, start, end time.Duration, marks ...time.Duration) timeline.Stint {
		for i := range marks {
			marks[i] *= ms
		}
		return timeline.Stint{Span: between(start, end), Goroutine: goroutine, Tiles: marks}
	}
	two := &timeline.Execution{Procs: []timeline.Proc{
		{ID: 0, Stints: []timeline.Stint{run(21, 0, 40, 11, 35), run(20, 41, 90, 50, 60, 88)}},
		{ID: 2, Stints: []timeline.Stint{run(20, 4, 30, 8, 12, 20), run(7, 30, 36), run(21, 42, 100, 100)}},
	}}
	collected := &timeline.Execution{Procs: two.Procs, Collections: []timeline.Span{between(28, 44)}}
	many := &timeline.Execution{}
	for i := range int64(40) {
		many.Procs = append(many.Procs, timeline.Proc{ID: i, Stints: []timeline.Stint{run(i, 0, 10+time.Duration(i), 5)}})
	}
	tests := []struct {
		name            string
		execution       *timeline.Execution
		shown, notShown []string // in the chart
	}{
		{"two", two, []string{"P 0", "P 2", "worker 1: 6 tiles", "worker 2: 3 tiles", "others", "time (ms)"}, []string{"garbage collection"}},
		{"collected", collected, []string{"garbage collection"}, nil},
		{"many", many, []string{"P 0", "P 39"}, []string{"worker 1: 1 tile", "others"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all := drawn(t, "timeline "+tt.name, Timeline(tt.execution))
			for _, text := range tt.shown {
				assert.Contains(t, all, text)
			}
			for _, text := range tt.notShown {
				assert.NotContains(t, all, text)
			}
		})
	}
}
