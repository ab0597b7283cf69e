package chart

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDrawTimeline(t *testing.T) {
	dir := testdata(t)
	const ms = time.Millisecond
	between := func(start, end time.Duration) span { return span{start * ms, end * ms} }
	run := func(goroutine int64, start, end time.Duration, marks ...time.Duration) stint {
		for i := range marks {
			marks[i] *= ms
		}
		return stint{between(start, end), goroutine, marks}
	}
	two := &execution{procs: []proc{
		{id: 0, stints: []stint{run(21, 0, 40, 11, 35), run(20, 41, 90, 50, 60, 88)}},
		{id: 2, stints: []stint{run(20, 4, 30, 8, 12, 20), run(7, 30, 36), run(21, 42, 100, 100)}},
	}}
	collected := &execution{procs: two.procs, collections: []span{between(28, 44)}}
	many := &execution{}
	for i := range int64(40) {
		many.procs = append(many.procs, proc{id: i, stints: []stint{run(i, 0, 10+time.Duration(i), 5)}})
	}
	tests := []struct {
		name            string
		timeline        *execution
		shown, notShown []string // in the chart
	}{
		{"two", two, []string{"P 0", "P 2", "worker 1: 6 tiles", "worker 2: 3 tiles", "others", "time (ms)"}, []string{"garbage collection"}},
		{"collected", collected, []string{"garbage collection"}, nil},
		{"many", many, []string{"P 0", "P 39"}, []string{"worker 1: 1 tile", "others"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			drawn := drawTimeline(tt.timeline)
			golden(t, dir, "timeline "+tt.name, drawn.alt+"\n\n"+drawn.note+"\n")
			svg, err := renderSVG(drawn)
			require.NoError(t, err)
			if tt.name == "collected" {
				file := filepath.Join(dir, "timeline-collected.svg")
				if *update {
					require.NoError(t, os.WriteFile(file, svg, 0o666))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err, "go test -update writes it")
				assert.Empty(t, udiff.Unified(file, "as drawn", string(want), string(svg)))
			}
			all := texts(t, svg)
			for _, text := range tt.shown {
				assert.Contains(t, all, text)
			}
			for _, text := range tt.notShown {
				assert.NotContains(t, all, text)
			}
		})
	}
}
