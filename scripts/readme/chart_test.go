package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/results"
)

func series(name string, joined int, points ...results.Point) results.Series {
	return results.Series{Name: name, Points: points, Joined: joined}
}

func at(x, center, lo, hi float64) results.Point {
	return results.Point{X: x, Center: center, Lo: lo, Hi: hi}
}

func TestDraw(t *testing.T) {
	for _, tt := range []struct {
		name      string
		fig       results.Figure
		alt, note string
		texts     []string
	}{
		{"steps", results.Figure{X: results.Axis{Title: "step", Names: []string{"1", "2", "10", "tree"}}, Y: results.Axis{Title: "speed"},
			Series: []results.Series{series("large scene", 3, at(0, 1, 1, 1), at(1, 2, 1.9, 2.1), at(2, 8, 7, 9), at(3, 30, 29, 31))}},
			"large scene: 1 to 30", " The axis is logarithmic. A bar is the 95 % interval, where it is longer than the mark.", []string{"large scene", "step", "speed", "tree", "20"}},
		{"numbers", results.Figure{X: results.Axis{Title: "workers"}, Y: results.Axis{Title: "times one"},
			Series: []results.Series{series("a", 2, at(1, 1, 1, 1), at(4, 3.5, 3.5, 3.5)), series("b", 2, at(1, 1, 1, 1), at(4, 3, 3, 3))}},
			"a: 1 to 3.5; b: 1 to 3", " The axis is logarithmic.", []string{"workers", "2"}},
		{"linear", results.Figure{X: results.Axis{Title: "link order", Linear: true}, Y: results.Axis{Title: "speed", Linear: true},
			Series: []results.Series{series("v1", 0, at(1, 0.98, 0.98, 0.98), at(2, 1.03, 1.03, 1.03))}},
			"v1: 0.98 to 1.03", " The axis does not begin at 0.", []string{"link order", "1.03"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			svg, alt, note, err := drawFigure(tt.fig)
			require.NoError(t, err)
			assert.Equal(t, tt.alt, alt)
			assert.Equal(t, tt.note, note)
			text := string(svg)
			assert.True(t, strings.HasPrefix(text, "<?xml"), "an SVG")
			assert.NotContains(t, text, "NaN")
			for _, want := range tt.texts {
				assert.True(t, strings.Contains(text, ">"+want+"</text>"), want)
			}
			again, _, _, err := drawFigure(tt.fig)
			require.NoError(t, err)
			assert.Equal(t, text, string(again), "the same bytes each time")
		})
	}
}

func TestTicks(t *testing.T) {
	for want, ends := range map[string][2]float64{
		"0.5 1 2 5 10 20 50 100 200 500 1k 2k": {0.3, 2000}, "10 100 1k 10k": {1.5, 99e3}, "5": {5, 9},
	} {
		var labels []string
		for _, tick := range decimalTicks(ends[0], ends[1]) {
			labels = append(labels, tick.Label)
		}
		assert.Equal(t, want, strings.Join(labels, " "))
	}
}

// A bar is divided; its sum stands above it. All but the last are gray.
func TestStack(t *testing.T) {
	fig := results.Figure{X: results.Axis{Title: "step", Names: []string{"1", "2"}}, Y: results.Axis{Title: "cycles", Linear: true}, Stacked: true,
		Series: []results.Series{series("arithmetic", 0, at(0, 6, 6, 6), at(1, 6, 6, 6)), series("waiting", 0, at(0, 3, 3, 3), at(1, 2.5, 2.5, 2.5))}}
	svg, alt, note, err := drawFigure(fig)
	require.NoError(t, err)
	assert.Equal(t, "2: arithmetic 6 waiting 2.5", alt)
	assert.Empty(t, note)
	for _, want := range []string{">9</text>", ">8.5</text>", ">waiting</text>", "#0072B2", "#909090"} {
		assert.Contains(t, string(svg), want)
	}
}
