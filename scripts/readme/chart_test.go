package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/scripts/internal/results"
)

func series(name string, joined int, points ...[4]float64) results.Series {
	s := results.Series{Name: name, Joined: joined}
	for _, at := range points {
		s.Points = append(s.Points, results.Point{X: at[0], Center: at[1], Lo: at[2], Hi: at[3]})
	}
	return s
}

func TestDraw(t *testing.T) {
	steps := results.Axis{Title: "step", Names: []string{"1", "2"}}
	for _, tt := range []struct {
		name      string
		fig       results.Figure
		alt, note string
		texts     []string
	}{
		{"steps", results.Figure{X: steps, Y: results.Axis{Title: "speed"}, Series: []results.Series{series("large scene", 2, [4]float64{0, 1, 1, 1}, [4]float64{1, 30, 29, 31})}},
			"large scene: 1 to 30", " The axis is logarithmic. A bar is the 95 % interval, where it is longer than the mark.", []string{"large scene", "step", "speed", "2", "20"}},
		{"numbers", results.Figure{X: results.Axis{Title: "workers"}, Y: results.Axis{Linear: true},
			Series: []results.Series{series("a", 2, [4]float64{1, 0.88, 0.88, 0.88}, [4]float64{4, 1.02, 1.02, 1.02}), series("b", 0, [4]float64{4, 0.9, 0.9, 0.9})}},
			"a: 0.88 to 1.02; b: 0.9", " The axis does not begin at 0.", []string{"workers", "2", "1.025"}},
		{"a divided bar, with its sum; all but the last are gray", results.Figure{X: steps, Y: results.Axis{Linear: true}, Stacked: true,
			Series: []results.Series{series("arithmetic", 0, [4]float64{0, 6, 6, 6}, [4]float64{1, 6, 6, 6}), series("waiting", 0, [4]float64{0, 3, 3, 3}, [4]float64{1, 2.5, 2.5, 2.5})}},
			"arithmetic: 6; waiting: 2.5 to 3", "", []string{"9", "8.5", "waiting"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, alt, note := drawFigure(tt.fig)
			assert.Equal(t, tt.alt, alt)
			assert.Equal(t, tt.note, note)
			assert.NotContains(t, text, "NaN")
			assert.Contains(t, text, "#0072B2")
			assert.Equal(t, tt.fig.Stacked, strings.Contains(text, "#909090"))
			for _, want := range tt.texts {
				assert.True(t, strings.Contains(text, ">"+want+"</text>"), want)
			}
		})
	}
}

func TestTicks(t *testing.T) {
	for want, ends := range map[string][2]float64{
		"0.5 1 2 5 10 20 50 100 200 500 1k 2k": {0.3, 2000}, "10 100 1k 10k": {1.5, 99e3}, "1µ 2µ 5µ": {0.9e-6, 6e-6},
	} {
		var labels []string
		for _, tick := range decimalTicks(math.Log10(ends[0]), math.Log10(ends[1])) {
			labels = append(labels, tick.Label)
		}
		assert.Equal(t, want, strings.Join(labels, " "))
	}
}
