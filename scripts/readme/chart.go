package main

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"raysteps/scripts/internal/results"
)

func init() {
	// The typeface is what text is measured with; readers see one of their own.
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
}

// Sizes in points. A chart is about as wide as the text of a page.
const (
	width, height vg.Length = 540, 330 // without the legend
	margin        vg.Length = 8
	textSize      vg.Length = 13
)

// looks are the colors and marks of the series of a chart, in their order. The colors
// are those of Okabe and Ito, which stay apart for color-blind readers. No two have the
// same mark, so that a chart can be read without its colors.
var looks = []draw.GlyphStyle{
	{Color: color.NRGBA{0x00, 0x72, 0xb2, 0xff}, Radius: 3, Shape: draw.CircleGlyph{}},
	{Color: color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, Radius: 3, Shape: draw.BoxGlyph{}},
	{Color: color.NRGBA{0x00, 0x9e, 0x73, 0xff}, Radius: 3.5, Shape: draw.PyramidGlyph{}},
	{Color: color.NRGBA{0xcc, 0x79, 0xa7, 0xff}, Radius: 3, Shape: draw.RingGlyph{}},
	{Color: color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, Radius: 3, Shape: draw.SquareGlyph{}},
	{Color: color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, Radius: 3.5, Shape: draw.TriangleGlyph{}},
	{Color: color.NRGBA{0x66, 0x66, 0x66, 0xff}, Radius: 3.5, Shape: draw.CrossGlyph{}},
}

// scale returns where values lie on an axis. What is logarithmic is so by its data and its
// ticks: beside a scale of gonum's, a long title makes the plot narrower.
func scale(of results.Axis) func(float64) float64 {
	if of.Linear || of.Names != nil {
		return func(x float64) float64 { return x }
	}
	return math.Log10
}

// setAxis sets the title, and some room around the data, which a plot has added to its axis.
func setAxis(a *plot.Axis, of results.Axis) {
	a.Label.Text, a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = of.Title, textSize, textSize
	if !of.Linear {
		a.Min, a.Max = a.Min-math.Log10(1.1), a.Max+math.Log10(1.1)
		a.Tick.Marker = plot.TickerFunc(decimalTicks)
		return
	}
	room := max(0.04*(a.Max-a.Min), 0.005*a.Max)
	if a.Max += room; a.Min > 0 {
		a.Min -= room
	}
	ticks := plot.DefaultTicks{}.Ticks(a.Min, a.Max)
	for i, tick := range ticks {
		if !tick.IsMinor() {
			ticks[i].Label = strconv.FormatFloat(tick.Value, 'g', 6, 64) // gonum may write 1 at 1.02
		}
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// decimalTicks returns 1, 2, 5, 10 and so on, or over many powers of ten these alone, between
// two logarithms.
func decimalTicks(lo, hi float64) (ticks []plot.Tick) {
	for exponent := -12; exponent <= 12; exponent++ {
		for _, digit := range []int{1, 2, 5} {
			value := float64(digit) * math.Pow10(exponent)
			if at := math.Log10(value); lo <= at && at <= hi && (digit == 1 || hi-lo <= 4) {
				ticks = append(ticks, plot.Tick{Value: at, Label: spoken(value)})
			}
		}
	}
	return ticks
}

// drawFigure returns the SVG of a figure, what it shows for readers who do not see it, and
// what to say of its axes and bars.
func drawFigure(fig results.Figure) (image, alt, note string) {
	p, legend := plot.New(), plot.NewLegend()
	p.Add(plotter.NewGrid())
	legend.Top, legend.Left, legend.TextStyle.Font.Size, legend.Padding = true, true, textSize, 2
	bounded := false
	for _, s := range fig.Series {
		lo, hi := math.Inf(1), 0.
		for _, at := range s.Points {
			lo, hi = min(lo, at.Center), max(hi, at.Center)
			bounded = bounded || at.Lo < at.Hi && !fig.Stacked
		}
		alt += "; " + s.Name + ": " + spoken(lo)
		if lo < hi {
			alt += " to " + spoken(hi)
		}
	}
	if fig.Stacked {
		stack(p, &legend, fig)
	} else {
		mark(p, &legend, fig, bounded)
	}
	setAxis(&p.X, fig.X)
	setAxis(&p.Y, fig.Y)
	if names := fig.X.Names; names != nil {
		p.NominalX(names...)
		last := float64(len(names) - 1)
		room := max(0.6, 2-last/2) // few bars stay narrow
		p.X.Min, p.X.Max = -room, last+room
		if slices.ContainsFunc(names, func(name string) bool { return len(name) > 4 }) {
			label := &p.X.Tick.Label
			label.Rotation, label.XAlign, label.YAlign = math.Pi/4, draw.XRight, draw.YTop
		}
	}
	switch {
	case !fig.Y.Linear:
		note = " The axis is logarithmic."
	case p.Y.Min > 0:
		note = " The axis does not begin at 0."
	}
	if bounded {
		note += " A bar is the 95 % interval, where it is longer than the mark."
	}
	return svg(p, legend), strings.TrimPrefix(alt, "; "), note
}

// mark draws the series of a figure as marks, joined by lines, with bars for their intervals.
func mark(p *plot.Plot, legend *plot.Legend, fig results.Figure, bounded bool) {
	x, y := scale(fig.X), scale(fig.Y)
	for i, s := range fig.Series {
		glyph := looks[i%len(looks)]
		shift := 0. // so that no mark hides another
		if fig.X.Names != nil && s.Joined == 0 {
			shift = 0.7 * (float64(i)/float64(len(fig.Series)) - 0.5)
		}
		var points plotter.XYs
		var errors plotter.YErrors
		for _, at := range s.Points {
			points = append(points, plotter.XY{X: x(at.X) + shift, Y: y(at.Center)})
			errors = append(errors, struct{ Low, High float64 }{y(at.Lo) - y(at.Center), y(at.Hi) - y(at.Center)})
		}
		marks := &plotter.Scatter{XYs: points, GlyphStyle: glyph}
		thumbs := []plot.Thumbnailer{marks}
		if s.Joined > 1 {
			line := &plotter.Line{XYs: points[:s.Joined], LineStyle: draw.LineStyle{Color: glyph.Color, Width: 1.2}}
			p.Add(line)
			thumbs = append(thumbs, line)
		}
		if bounded {
			style := draw.LineStyle{Color: glyph.Color, Width: 1}
			p.Add(&plotter.YErrorBars{XYs: points, YErrors: errors, LineStyle: style, CapWidth: 2 * glyph.Radius})
		}
		p.Add(marks)
		legend.Add(s.Name, thumbs...)
	}
}

// parts are the colors of the parts of a sum, in the last bar and in those before it.
var parts = [][2]color.Color{
	{looks[0].Color, color.Gray{0x90}}, {looks[4].Color, color.Gray{0xb8}}, {looks[1].Color, color.Gray{0xdc}},
}

// stack draws the series of a figure as parts of bars, from below, with their sums above.
func stack(p *plot.Plot, legend *plot.Legend, fig results.Figure) {
	n := len(fig.X.Names)
	style := p.X.Tick.Label
	style.Font.Size, style.XAlign, style.YAlign = textSize, draw.XCenter, draw.YBottom
	sums := &plotter.Labels{
		XYs: make(plotter.XYs, n), Labels: make([]string, n), TextStyle: slices.Repeat([]draw.TextStyle{style}, n), Offset: vg.Point{Y: 2},
	}
	for i, s := range fig.Series {
		for _, at := range s.Points {
			bar := int(at.X)
			low, high, left, right := sums.XYs[bar].Y, sums.XYs[bar].Y+at.Center, at.X-0.35, at.X+0.35
			corners := plotter.XYs{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}}
			part := &plotter.Polygon{XYs: []plotter.XYs{corners}, Color: parts[i%len(parts)][min(1, n-1-bar)]}
			if p.Add(part); bar == n-1 {
				legend.Add(s.Name, part)
			}
			sums.XYs[bar], sums.Labels[bar] = plotter.XY{X: at.X, Y: high}, spoken(high)
		}
	}
	p.Add(sums)
}

// spoken writes a number of a tick, a label or an alternative text.
func spoken(x float64) string {
	prefix := ""
	if x >= 1000 || 0 < x && x < 1e-3 {
		x, prefix = humanize.ComputeSI(x) // 10k, 2µ
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + prefix
}

// svg draws a plot on white, so that it can be read on any page, below its legend.
func svg(p *plot.Plot, legend plot.Legend) string {
	size := legend.Rectangle(draw.New(vgsvg.New(width, height))).Size()
	image := vgsvg.New(width, height+size.Y)
	canvas := draw.New(image)
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Path())
	canvas = draw.Crop(canvas, margin, -margin, margin, -margin)
	legend.Draw(canvas)
	p.Draw(draw.Crop(canvas, 0, 0, 0, -size.Y-margin))
	var b strings.Builder
	_, _ = image.WriteTo(&b) // a string has room
	// Helvetica and Arial are as wide as Liberation Sans.
	return strings.ReplaceAll(b.String(), "font-family:Liberation Sans;", "font-family:Helvetica,Arial,sans-serif;")
}
