package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"raysteps/scripts/internal/results"
)

// looks are the colors and marks of the series of a chart, in their order. No
// two have the same mark, so that a chart can be read without its colors.
var looks = []draw.GlyphStyle{
	{Color: palette[0], Radius: 3, Shape: draw.CircleGlyph{}},
	{Color: palette[1], Radius: 3, Shape: draw.BoxGlyph{}},
	{Color: palette[3], Radius: 3.5, Shape: draw.PyramidGlyph{}},
	{Color: palette[4], Radius: 3, Shape: draw.RingGlyph{}},
	{Color: palette[2], Radius: 3, Shape: draw.SquareGlyph{}},
	{Color: palette[5], Radius: 3.5, Shape: draw.TriangleGlyph{}},
	{Color: color.NRGBA{0x66, 0x66, 0x66, 0xff}, Radius: 3.5, Shape: draw.CrossGlyph{}},
	{Color: ink, Radius: 3.5, Shape: draw.PlusGlyph{}},
}

// Draw returns the SVG of a figure, what it shows for readers who do not see it, and
// what to say of its axes and bars. With ideal, a line shows where y is x.
func Draw(fig results.Figure, ideal bool) (image []byte, alt, note string, err error) {
	p := newPlot(fig.X.Title, fig.Y.Title)
	var points []results.Point
	bounded := false
	var alts []string
	for _, s := range fig.Series {
		points = append(points, s.Points...)
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, at := range s.Points {
			lo, hi = min(lo, at.Center), max(hi, at.Center)
			bounded = bounded || at.Lo < at.Hi
		}
		if s.Bare || len(s.Points) == 1 {
			alts = append(alts, s.Name)
		} else {
			alts = append(alts, fmt.Sprintf("%s: %s to %s", s.Name, spoken(lo), spoken(hi)))
		}
	}
	place := xAxis(p, fig, points)
	yAxis(p, fig, points)
	var legend []legendEntry
	marks := 0
	for i, s := range fig.Series {
		glyph := looks[i%len(looks)]
		style := draw.LineStyle{Color: glyph.Color, Width: thin}
		e := legendEntry{text: s.Name}
		shift := func(x float64) float64 { // side by side, so that no mark hides another
			across := float64(i) - float64(len(fig.Series)-1)/2
			switch {
			case fig.X.Names != nil && s.Joined == 0:
				return place(x) + 0.7*across/float64(len(fig.Series))
			case fig.X.Names == nil && len(s.Points) > 1 && len(points) < 40 && !s.Bare && !fig.X.Linear:
				return x * math.Pow(p.X.Max/p.X.Min, 0.008*across)
			}
			return place(x)
		}
		if s.Joined > 1 {
			if s.Bare {
				style.Width = lineWidth
			}
			var path plotter.XYs
			for _, at := range s.Points[:s.Joined] {
				path = append(path, plotter.XY{X: shift(at.X), Y: at.Center})
			}
			p.Add(&plotter.Line{XYs: path, LineStyle: style})
			e.line = &style
		}
		if !s.Bare {
			e.glyph = &glyph
			marks++
			for _, at := range s.Points {
				xy := plotter.XYs{{X: shift(at.X), Y: at.Center}}
				if at.Lo < at.Hi {
					p.Add(&plotter.YErrorBars{
						XYs:       xy,
						YErrors:   plotter.YErrors{{Low: at.Lo - at.Center, High: at.Hi - at.Center}},
						LineStyle: draw.LineStyle{Color: glyph.Color, Width: 1}, CapWidth: 2*glyph.Radius + 2,
					})
				}
				p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: glyph})
			}
		}
		legend = append(legend, e)
	}
	if ideal {
		style := draw.LineStyle{Color: ink, Width: thin, Dashes: []vg.Length{5, 4}}
		end := min(p.X.Max, p.Y.Max)
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: 1, Y: 1}, {X: end, Y: end}}, LineStyle: style})
		legend = append(legend, legendEntry{text: fig.X.Title + " times one", line: &style})
	}
	height := chartHeight
	if marks < len(fig.Series) { // long names, a line each
		height += 14 * vg.Length(len(fig.Series))
	}
	switch {
	case fig.Y.Linear && !startsAtZero(p):
		note = " The axis does not begin at 0."
	case !fig.Y.Linear:
		note = " The axis is logarithmic."
	}
	if bounded {
		note += " A bar is the 95 % interval, where it is longer than the mark."
	}
	image, err = svg(p, legend, height)
	return image, strings.Join(alts, "; "), note, err
}

// spoken writes a number for readers who do not see the chart.
func spoken(x float64) string {
	if x >= 1000 {
		return benchunit.Scale(x, benchunit.Decimal)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func startsAtZero(p *plot.Plot) bool { return p.Y.Min == 0 }

// xAxis sets the horizontal axis, and returns where a place on it is drawn.
func xAxis(p *plot.Plot, fig results.Figure, points []results.Point) func(x float64) float64 {
	same := func(x float64) float64 { return x }
	lo, hi := math.Inf(1), math.Inf(-1)
	var xs []float64
	for _, at := range points {
		lo, hi = min(lo, at.X), max(hi, at.X)
		if !slices.Contains(xs, at.X) {
			xs = append(xs, at.X)
		}
	}
	slices.Sort(xs)
	switch {
	case fig.X.Names != nil:
		// Names take more room than numbers, and stand in two rows.
		at := make([]float64, len(fig.X.Names))
		var ticks []plot.Tick
		x := 0.
		for i, label := range fig.X.Names {
			if i > 0 {
				x++
			}
			if len(label) > 2 {
				x += 2.2
			}
			at[i] = x
			if len(label) > 1 && i%2 == 0 {
				label = "\n" + label
			}
			ticks = append(ticks, plot.Tick{Value: x, Label: label})
		}
		p.X.Tick.Marker = plot.ConstantTicks(ticks)
		p.X.Min, p.X.Max = -0.6, x+1.2
		return func(x float64) float64 { return at[int(x)] }
	case fig.X.Linear:
		p.X.Min, p.X.Max = lo-1, hi+1
		p.X.Tick.Marker = plot.ConstantTicks(linearTicks(lo-1, hi+1))
		return same
	}
	p.X.Scale = plot.LogScale{}
	ticks := decimalTicks(lo, hi, 1)
	if len(xs) <= 10 && hi < 1e4 && lo >= 1 {
		ticks = nil
		for _, x := range xs {
			ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', -1, 64)})
		}
	} else if hi/lo < 1e4 {
		ticks = decimalTicks(lo, hi, 1, 2, 5)
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	margin := max(math.Pow(hi/lo, 0.05), 1.05)
	p.X.Min, p.X.Max = min(lo, ticks[0].Value)/margin, max(hi, ticks[len(ticks)-1].Value)*margin
	return same
}

func yAxis(p *plot.Plot, fig results.Figure, points []results.Point) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, at := range points {
		lo, hi = min(lo, at.Lo), max(hi, at.Hi)
	}
	if fig.Y.Linear {
		if hi > 20 && lo < 60 { // a share of everything
			p.Y.Min, p.Y.Max = 0, max(hi*1.02, 105)
			p.Y.Tick.Marker = plot.ConstantTicks(linearTicks(0, p.Y.Max))
			return
		}
		margin := max(0.08*(hi-lo), 0.01*hi)
		p.Y.Min, p.Y.Max = lo-margin, hi+margin
		p.Y.Tick.Marker = plot.ConstantTicks(linearTicks(p.Y.Min, p.Y.Max))
		return
	}
	p.Y.Scale = plot.LogScale{}
	digits := []float64{1, 2, 5}
	if hi/lo > 1e4 {
		digits = digits[:1]
	}
	ticks := decimalTicks(lo, hi, digits...)
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Min, p.Y.Max = max(ticks[0].Value, lo/1.25), min(ticks[len(ticks)-1].Value, hi*1.25)
}

// linearTicks returns about five round numbers between lo and hi.
func linearTicks(lo, hi float64) []plot.Tick {
	power := math.Pow(10, math.Floor(math.Log10((hi-lo)/5)))
	by := 10 * power
	for _, digit := range []float64{5, 2, 1} {
		if digit*power >= (hi-lo)/5 {
			by = digit * power
		}
	}
	var ticks []plot.Tick
	for n := math.Ceil(lo / by); n*by <= hi; n++ {
		ticks = append(ticks, plot.Tick{Value: n * by, Label: strconv.FormatFloat(n*by, 'g', 6, 64)})
	}
	return ticks
}

const (
	thin     vg.Length = 1.2
	entryGap vg.Length = 14
	sample   vg.Length = 20 // of a line in a legend
)

// legendEntry is one of the texts of a legend.
type legendEntry struct {
	text  string
	glyph *draw.GlyphStyle // or nil
	line  *draw.LineStyle  // or nil
}

// drawLegend draws entries side by side from the upper left, in as many rows
// as it takes, and returns what is left of the canvas.
func drawLegend(c draw.Canvas, entries []legendEntry) draw.Canvas {
	if len(entries) == 0 {
		return c
	}
	style := textStyle(textSize)
	row := style.Height("X") + 6
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - row}
	for _, e := range entries {
		width := sample + 6 + wider*style.Width(e.text)
		if at.X > c.Min.X && at.X+width > c.Max.X {
			at = vg.Point{X: c.Min.X, Y: at.Y - row}
		}
		middle := at.Y + style.Height("x")/2
		if e.line != nil {
			c.StrokeLine2(*e.line, at.X, middle, at.X+sample, middle)
		}
		if e.glyph != nil {
			c.DrawGlyph(*e.glyph, vg.Point{X: at.X + sample/2, Y: middle})
		}
		c.FillText(style, vg.Point{X: at.X + sample + 6, Y: at.Y}, e.text)
		at.X += width + entryGap
	}
	return draw.Crop(c, 0, 0, 0, at.Y-c.Max.Y-6)
}
