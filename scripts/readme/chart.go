package main

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/dustin/go-humanize"

	"raysteps/scripts/internal/results"
)

// picture is the template of a chart: about as wide as the text of a page, with the legend above
// the plot, which is 468 by 280 points large.
//
//go:embed chart.svg
var picture string

// scale is an axis in the picture.
type scale struct {
	Ticks  []tick
	linear bool
	lo, hi float64 // values at its ends, or their logarithms

	from, to float64 // where the ends are
}

// tick is a place on a scale.
type tick struct{ At, Label string }

// newScale returns that of an axis for values from lo to hi, with some room around them.
func newScale(axis results.Axis, lo, hi, from, to float64) *scale {
	s := &scale{linear: axis.Linear || axis.Names != nil, from: from, to: to}
	switch {
	case axis.Names != nil:
		last := float64(len(axis.Names) - 1)
		room := max(0.6, 2-last/2) // few bars stay narrow
		s.lo, s.hi = -room, last+room
		for i, name := range axis.Names {
			s.Ticks = append(s.Ticks, tick{s.at(float64(i)), name})
		}
	case axis.Linear:
		room := max(0.05*(hi-lo), 0.005*hi)
		s.lo, s.hi = max(0, lo-room), hi+room
		step := math.Pow10(int(math.Floor(math.Log10(s.hi-s.lo))) - 1)
		for _, times := range []float64{2, 1.25, 2, 2, 2} { // 0.2, 0.25, 0.5, 1, 2
			if step *= times; s.hi-s.lo <= 6*step {
				break
			}
		}
		for n := math.Ceil(s.lo / step); n*step <= s.hi; n++ {
			s.Ticks = append(s.Ticks, tick{s.at(n * step), strconv.FormatFloat(n*step, 'g', 6, 64)})
		}
	default: // 1, 2, 5, 10 and so on, or over many powers of ten these alone
		s.lo, s.hi = math.Log10(lo/1.1), math.Log10(hi*1.1)
		for exponent := -12; exponent <= 12; exponent++ {
			for _, digit := range []int{1, 2, 5} {
				value := float64(digit) * math.Pow10(exponent)
				if lo/1.1 <= value && value <= hi*1.1 && (digit == 1 || hi <= 1e4*lo) {
					s.Ticks = append(s.Ticks, tick{s.at(value), spoken(value)})
				}
			}
		}
	}
	return s
}

// at returns where a value lies.
func (s *scale) at(value float64) string {
	if !s.linear {
		value = math.Log10(value)
	}
	return strconv.FormatFloat(s.from+(value-s.lo)/(s.hi-s.lo)*(s.to-s.from), 'f', 1, 64)
}

// drawFigure returns the SVG of a figure, what it shows for readers who do not see it, and
// what to say of its axes and bars. It moves the points to where they are drawn.
func drawFigure(fig results.Figure) (image, alt, note string, err error) {
	left, right, low, high := math.Inf(1), 0., math.Inf(1), 0.
	sums := make([]float64, len(fig.X.Names)) // so far, of the bars of a stacked figure
	for i, s := range fig.Series {
		least, most := math.Inf(1), 0.
		for j := range s.Points {
			at := &s.Points[j]
			least, most = min(least, at.Center), max(most, at.Center)
			switch bar := int(at.X); {
			case fig.Stacked:
				at.Lo, at.Hi = sums[bar], sums[bar]+at.Center
				sums[bar] = at.Hi
			case fig.X.Names != nil && s.Joined == 0: // no mark hides another
				at.X += 0.7 * (float64(i)/float64(len(fig.Series)) - 0.5)
			}
			left, right, low, high = min(left, at.X), max(right, at.X), min(low, at.Lo), max(high, at.Hi)
		}
		alt += "; " + s.Name + ": " + spoken(least)
		if least < most {
			alt += " to " + spoken(most)
		}
	}
	x, y := newScale(fig.X, left, right, 0, 468), newScale(fig.Y, low, high, 280, 0)
	switch {
	case !fig.Y.Linear:
		note = " Logarithmic axis."
	case y.lo > 0:
		note = " The axis starts above 0."
	}
	funcs := template.FuncMap{"x": x.at, "y": y.at, "spoken": spoken, "plus": func(a, b float64) float64 { return a + b }}
	var b strings.Builder
	err = template.Must(template.New("chart").Funcs(funcs).Parse(picture)).Execute(&b, map[string]any{
		"Figure": fig, "Across": x.Ticks, "Up": y.Ticks, "Sums": sums, "Last": right,
		"Slanted": slices.ContainsFunc(fig.X.Names, func(name string) bool { return len(name) > 4 }),
	})
	return b.String(), strings.TrimPrefix(alt, "; "), note, err
}

// spoken writes a number of a tick, a label or an alternative text.
func spoken(x float64) string {
	prefix := ""
	if x >= 1000 || 0 < x && x < 1e-3 {
		x, prefix = humanize.ComputeSI(x) // 10k, 2µ
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + prefix
}
