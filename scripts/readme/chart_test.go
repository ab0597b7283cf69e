package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
			"large scene: 1 to 30", " Logarithmic axis.", []string{"large scene", "step", "speed", "2", "20"}},
		{"numbers", results.Figure{X: results.Axis{Title: "workers"}, Y: results.Axis{Linear: true},
			Series: []results.Series{series("a", 2, [4]float64{1, 0.88, 0.88, 0.88}, [4]float64{4, 1.02, 1.02, 1.02}), series("b", 0, [4]float64{4, 0.9, 0.9, 0.9})}},
			"a: 0.88 to 1.02; b: 0.9", " The axis starts above 0.", []string{"workers", "2", "0.95"}},
		{"a divided bar, with its sum; all but the last are gray", results.Figure{X: steps, Y: results.Axis{Linear: true}, Stacked: true,
			Series: []results.Series{series("arithmetic", 0, [4]float64{0, 6, 6, 6}, [4]float64{1, 6, 6, 6}), series("waiting", 0, [4]float64{0, 3, 3, 3}, [4]float64{1, 2.5, 2.5, 2.5})}},
			"arithmetic: 6; waiting: 2.5 to 3", "", []string{"9", "8.5", "waiting"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, alt, note, err := drawFigure(tt.fig)
			require.NoError(t, err)
			assert.Equal(t, tt.alt, alt)
			assert.Equal(t, tt.note, note)
			assert.NotContains(t, text, "NaN")
			assert.Equal(t, tt.fig.Stacked, strings.Contains(text, `<g class="past"><path class="part p0"`))
			assert.Equal(t, !tt.fig.Stacked, strings.Contains(text, `<use href="#m0" x="1`), "marks")
			for _, want := range tt.texts {
				assert.True(t, strings.Contains(text, ">"+want+"</text>"), want)
			}
		})
	}
}

// Whatever names there are, a chart is XML, and has them.
func TestNames(t *testing.T) {
	const name = `a"b<c&d>e`
	for _, stacked := range []bool{false, true} {
		text, _, _, err := drawFigure(results.Figure{X: results.Axis{Title: name + "x", Names: []string{name + "1", "2"}}, Y: results.Axis{Title: name + "y", Linear: true}, Stacked: stacked,
			Series: []results.Series{series(name, 2, [4]float64{0, 1, 1, 1}, [4]float64{1, 3, 2, 4})}})
		require.NoError(t, err)
		var found []string
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if text, ok := token.(xml.CharData); ok {
				found = append(found, string(text))
			}
		}
		assert.Subset(t, found, []string{name, name + "1", name + "x", name + "y"})
	}
}

// A bar reaches from the one end of an interval to the other, a line connects what is joined, and
// parts of a sum stand on each other.
func TestPlaces(t *testing.T) {
	axis := results.Axis{Names: []string{"1", "2", "3"}}
	for name, tt := range map[string]struct {
		stacked bool
		series  []results.Series
		wants   []string
	}{
		"joined": {false, []results.Series{series("a", 2, [4]float64{0, 5, 0, 10}, [4]float64{1, 2, 2, 2}, [4]float64{2, 4, 4, 4})}, []string{
			`d="M 117.0 146.7 234.0 226.7"`, `d="M117.0 280.0m-3 0h6m-3 0V13.3m-3 0h6"`, `<use href="#m0" x="117.0" y="146.7"/>`, `x="351.0" y="173.3"/>`,
		}},
		"beside each other": {false, []results.Series{series("a", 0, [4]float64{1, 5, 0, 10}), series("b", 0, [4]float64{1, 5, 5, 5})}, []string{
			`<use href="#m0" x="193.0" y="146.7"/>`, `<use href="#m1" x="234.0" y="146.7"/>`,
		}},
		"stacked": {true, []results.Series{series("a", 0, [4]float64{0, 4, 1, 9}), series("b", 0, [4]float64{0, 6, 6, 6})}, []string{
			`p0" d="M76.0 280.0V173.3H158.0V280.0z"`, `p1" d="M76.0 173.3V13.3H158.0V173.3z"`, `x="117.0" y="13.3" dy="-4">10<`,
		}},
	} {
		text, _, _, err := drawFigure(results.Figure{X: axis, Y: results.Axis{Linear: true},
			Stacked: tt.stacked, Series: tt.series})
		require.NoError(t, err)
		for _, want := range tt.wants {
			assert.True(t, strings.Contains(text, want), "%s: %s", name, want)
		}
	}
}

func TestTicks(t *testing.T) {
	for want, axis := range map[string]struct {
		linear bool
		lo, hi float64
	}{
		"0.5 1 2 5 10 20 50 100 200 500 1k 2k": {false, 0.3, 2000}, "10 100 1k 10k": {false, 1.5, 80e3}, "1µ 2µ 5µ": {false, 0.9e-6, 6e-6},
		"0 10 20 30": {true, 1, 35}, "0.9 0.95 1": {true, 0.88, 1.02}, "0.98 0.99 1 1.01 1.02": {true, 0.98, 1.02}, "0 2.5 5 7.5 10 12.5": {true, 0, 12.5},
	} {
		var labels []string
		for _, tick := range newScale(results.Axis{Linear: axis.linear}, axis.lo, axis.hi, 0, 100).Ticks {
			labels = append(labels, tick.Label)
		}
		assert.Equal(t, want, strings.Join(labels, " "))
	}
	assert.Equal(t, "50.0", newScale(results.Axis{}, 1, 100, 0, 100).at(10), "in the middle of two logarithms")
	assert.Equal(t, "9.5", newScale(results.Axis{Linear: true}, 0, 10, 200, 0).at(10), "with room above it")
}
