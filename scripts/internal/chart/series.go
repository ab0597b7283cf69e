package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"raysteps/scripts/internal/estimate"
)

// point is a median with its interval, over a number.
type point struct {
	x float64
	y estimate.Estimate
}

// series is what has one color and one mark in a chart.
type series struct {
	name   string
	points []point
	line   int // how many of the points, from the first, a line connects
}

// newSeries returns a series for each name, with a point at each x, whose value is
// that of series i and point j. A line connects the first so many points.
func newSeries(names []string, xs []float64, connected int, value func(i, j int) (estimate.Estimate, error)) ([]series, error) {
	var all []series
	for i, name := range names {
		s := series{name: name, line: connected}
		for j, x := range xs {
			v, err := value(i, j)
			if err != nil {
				return nil, err
			}
			s.points = append(s.points, point{x, v})
		}
		all = append(all, s)
	}
	return all, nil
}

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

// add draws the series and returns the entries of their legend.
func add(p *plot.Plot, all []series) []legendEntry {
	var legend []legendEntry
	for i, s := range all {
		glyph := looks[i%len(looks)]
		style := draw.LineStyle{Color: glyph.Color, Width: thin}
		e := legendEntry{text: s.name, glyph: &glyph}
		if s.line > 1 {
			var path plotter.XYs
			for _, at := range s.points[:s.line] {
				path = append(path, plotter.XY{X: at.x, Y: at.y.Center})
			}
			p.Add(&plotter.Line{XYs: path, LineStyle: style})
			e.line = &style
		}
		for _, at := range s.points {
			p.Add(mark(at.x, at.y, glyph)...)
		}
		legend = append(legend, e)
	}
	return legend
}

// sideBySide moves the series of a logarithmic axis a little apart, so that no
// mark hides another.
func sideBySide(axis *plot.Axis, all []series) {
	step := math.Pow(axis.Max/axis.Min, 0.012)
	for i, s := range all {
		for j := range s.points {
			s.points[j].x *= math.Pow(step, float64(i)-float64(len(all)-1)/2)
		}
	}
}

// allBounded reports whether every point has an interval.
func allBounded(all []series) bool {
	for _, s := range all {
		for _, at := range s.points {
			if !bounded(at.y) {
				return false
			}
		}
	}
	return true
}

// intervals is the end of a note: what the bars are, or why there are none.
func intervals(all []series) string {
	if allBounded(all) {
		return " A bar is the 95 % interval, where it is longer than the mark."
	}
	return " An interval takes several link orders."
}

// spans returns the least and the greatest value that is drawn.
func spans(all []series) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range all {
		for _, at := range s.points {
			lo, hi = min(lo, at.y.Center), max(hi, at.y.Center)
			if bounded(at.y) {
				lo, hi = min(lo, at.y.Lo), max(hi, at.y.Hi)
			}
		}
	}
	return lo, hi
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
