package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
)

func init() {
	// The typeface is what text is measured with; readers see one of their own.
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}

	register("chart", directive.Directive{
		Required: []string{"kind"}, Optional: []string{"scene", "step", "tile", "workers"},
		Usage: "chart kind=rates [scene=large] [step=13] [tile=32] [workers=2]",
		Help: `A chart, drawn into docs/charts. rates and speedups: the steps, a line for each
scene. roofline: the kernels of steps 10 to 12, and those of beyond that were
measured, below what one core can do at most. workers and tiles: a step with
goroutines, by their number (with tiles of one size) and by the size of tiles
(with one number of workers). schedule: its efficiency in one scene on
processors that are simulated. timeline: what ran on each processor, from an
execution trace. builds: the steps in one scene by build. spheres: rays a second
by number of spheres.`,
	}, fillChart)
	register("share", directive.Directive{
		Required: []string{"pkg", "kernel", "op", "bits"}, Optional: []string{"n"},
		Usage: "share pkg=step10 kernel=sse op=mul-add bits=128 [n=8,48,484,4096]",
		Help: `A kernel against what one core can do at most, as scripts/peak measures it: a
row for each number of spheres.`,
	}, fillShare)
}

// chart is a plot and what a page says with it.
type chart struct {
	plot   *plot.Plot    // nil if there is nothing to draw
	legend []legendEntry // above it
	height vg.Length     // of both, or 0 for the usual one
	alt    string        // what it shows, for readers who do not see it
	note   string        // a line of prose below it
}

// chartKind draws a kind of chart from the measurements of a kind.
type chartKind struct {
	of   results.Kind
	keys []string // that it takes besides its kind
	draw func(*results.Set, directive.Call) (chart, error)
}

// charts are all but the timeline, which is drawn from a trace.
var charts = map[string]chartKind{
	"builds":   {results.OfBuilds, []string{"scene"}, drawBuilds},
	"orders":   {results.OfBuilds, []string{"from", "to", "scene"}, drawOrders},
	"rates":    {results.OfSteps, nil, drawRates},
	"schedule": {results.OfSchedules, []string{"scene", "step"}, drawSchedule},
	"timeline": {timeline, nil, nil},
	"roofline": {results.OfExperiments, nil, func(set *results.Set, _ directive.Call) (chart, error) { return roofline(set) }},
	"speedups": {results.OfSteps, nil, drawSpeedups},
	"spheres":  {results.OfSpheres, nil, drawSpheres},
	"tiles":    {results.OfSweep, []string{"step", "workers"}, drawTiles},
	"workers":  {results.OfSweep, []string{"step", "tile"}, drawWorkers},
}

// draw returns a chart and the line that says where it was measured.
func (p *page) draw(kind chartKind, c directive.Call) (chart, string, error) {
	if kind.of == timeline {
		return p.timeline()
	}
	set, err := p.measured(kind.of)
	if err != nil {
		return chart{}, "", err
	}
	drawn, err := kind.draw(set, c)
	if err != nil {
		return chart{}, "", err
	}
	below, err := p.captionOf(set, kind.of)
	return drawn, below, err
}

func fillChart(p *page, c directive.Call) (string, error) {
	kind := c.Get("kind")
	made, ok := charts[kind]
	if !ok {
		return "", fmt.Errorf("kind is %q; want %s", kind, strings.Join(slices.Sorted(maps.Keys(charts)), " or "))
	}
	name := kind
	for _, key := range []string{"scene", "step", "tile", "workers"} {
		switch {
		case !c.Has(key):
		case !slices.Contains(made.keys, key):
			return "", fmt.Errorf("a chart of %s takes no %s", kind, key)
		default:
			name += "-" + key + "-" + slug(c.Get(key))
		}
	}
	drawn, below, err := p.draw(made, c)
	if err != nil {
		return "", err
	}
	below = drawn.note + "\n" + below
	if drawn.plot == nil {
		return below, nil
	}
	svg, err := renderSVG(drawn)
	if err != nil {
		return "", fmt.Errorf("drawing the chart: %w", err)
	}
	file := path.Join("docs/charts", name+".svg")
	p.asset(file, svg, nil)
	return fmt.Sprintf("![%s](%s)\n\n%s", drawn.alt, p.link(file), below), nil
}

// Sizes of all charts, in points. A chart is about as wide as the text of a
// page.
const (
	chartWidth  vg.Length = 540
	chartHeight vg.Length = 340
	chartMargin vg.Length = 8
	textSize    vg.Length = 13
	insideSize  vg.Length = 10 // of text among the marks, where there is little room
	lineWidth   vg.Length = 2
)

// palette is that of Okabe and Ito, whose colors stay apart for color-blind
// readers, without black, which is for text, and yellow, which is too light.
var palette = []color.Color{
	color.NRGBA{0x00, 0x72, 0xb2, 0xff}, // blue
	color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, // orange
	color.NRGBA{0x00, 0x9e, 0x73, 0xff}, // green
	color.NRGBA{0xcc, 0x79, 0xa7, 0xff}, // purple
	color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, // sky blue
}

var (
	ink  = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	pale = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// newPlot returns an empty plot with the titles of its axes.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	dress := func(axis *plot.Axis, title string) {
		axis.Label.Text = title
		axis.Label.TextStyle.Font.Size = textSize
		axis.Label.TextStyle.Color = ink
		axis.Label.Padding = 4
		axis.Tick.Label.Font.Size = textSize
		axis.Tick.Label.Color = ink
		axis.Tick.Color, axis.Color = ink, ink
		axis.Padding = 0
	}
	dress(&p.X, x)
	dress(&p.Y, y)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = pale, pale
	p.Add(grid)
	return p
}

// logarithmic makes an axis go from one of its ticks to another.
func logarithmic(axis *plot.Axis, ticks []plot.Tick) {
	axis.Scale = plot.LogScale{}
	axis.Tick.Marker = plot.ConstantTicks(ticks)
	axis.Min, axis.Max = ticks[0].Value, ticks[len(ticks)-1].Value
}

// ticks125 returns 1, 2, 5, 10 and so on, from the last that is not above lo
// to the first that is not below hi. Both must be above 0.
func ticks125(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for exponent := int(math.Floor(math.Log10(lo))) - 1; ; exponent++ {
		for _, digit := range []float64{1, 2, 5} {
			// Parsing rounds well: 5 times 1e-3 may be a neighbor of 0.005.
			value, _ := strconv.ParseFloat(fmt.Sprintf("%ge%d", digit, exponent), 64)
			tick := plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'f', -1, 64)}
			if value <= lo {
				ticks = nil
			}
			if ticks = append(ticks, tick); value >= hi {
				return ticks
			}
		}
	}
}

// ticksOfTwo is the same for powers of two: 1/2, 1, 2, 4.
func ticksOfTwo(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	_, exponent := math.Frexp(lo)
	for exponent--; ; exponent++ { // math.Frexp returns one more than the logarithm
		value := math.Ldexp(1, exponent)
		label := fmt.Sprint(value)
		if value < 1 {
			label = fmt.Sprint("1/", 1/value)
		}
		if ticks = append(ticks, plot.Tick{Value: value, Label: label}); value >= hi {
			return ticks
		}
	}
}

// textStyle is that of text within a chart. It begins at its place, and not
// around it or before it, so that it stays there in a reader's typeface.
func textStyle(size vg.Length) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.From(plot.DefaultFont, size),
		XAlign:  text.XLeft,
		YAlign:  text.YBottom,
		Handler: plot.DefaultTextHandler,
	}
}

// wider is how much wider a reader's typeface may be than the one that text is
// measured with.
const wider = 1.2

// label is text above and to the right of a point.
type label struct {
	at     plotter.XY
	dx, dy vg.Length // added to the place
	text   string
	last   bool // the text ends at the right edge, wherever the point is
}

func (l label) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := vg.Point{X: x(l.at.X), Y: y(l.at.Y)}
	style := textStyle(insideSize)
	if l.last {
		at.X = c.Max.X - wider*style.Width(l.text)
	}
	c.FillText(style, at.Add(vg.Point{X: l.dx, Y: l.dy}), l.text)
}

// labels are text on one side of their marks. One that would cover the label
// below it moves up.
type labels struct {
	left bool
	of   []label
}

func (b *labels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := textStyle(insideSize)
	low := c.Min.Y
	for _, l := range slices.SortedStableFunc(slices.Values(b.of), func(a, b label) int { return cmp.Compare(a.at.Y, b.at.Y) }) {
		dx := vg.Length(11)
		if b.left {
			dx = -23 - wider*(style.Width(l.text)-style.Width("10"))
		}
		at := vg.Point{X: x(l.at.X) + dx, Y: max(y(l.at.Y)-insideSize, low)}
		c.FillText(style, at, l.text)
		low = at.Y + insideSize + 1
	}
}

// slanted is text in the middle of a line, on top of it or below.
type slanted struct {
	from, to plotter.XY
	text     string
	below    bool
}

func (s slanted) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	from, to := vg.Point{X: x(s.from.X), Y: y(s.from.Y)}, vg.Point{X: x(s.to.X), Y: y(s.to.Y)}
	style := textStyle(insideSize)
	// The file holds the angle with all its digits, and not every processor
	// computes the last one alike. Whole degrees are the same everywhere.
	degrees := math.Round(math.Atan2(float64(to.Y-from.Y), float64(to.X-from.X)) * 180 / math.Pi)
	style.Rotation = degrees * math.Pi / 180
	sin, cos := math.Sincos(style.Rotation)
	back, up := wider*style.Width(s.text)/2, vg.Length(4)
	if s.below {
		up = -insideSize
	}
	c.FillText(style, vg.Point{
		X: (from.X+to.X)/2 - back*vg.Length(cos) - up*vg.Length(sin),
		Y: (from.Y+to.Y)/2 - back*vg.Length(sin) + up*vg.Length(cos),
	}, s.text)
}

// legend stands in the lower right corner.
type legend struct{ plot.Legend }

func newLegend() *legend {
	l := &legend{plot.NewLegend()}
	l.TextStyle = textStyle(insideSize)
	l.Left = true // the text is behind the marks
	l.Padding = 4
	return l
}

func (l *legend) Plot(c draw.Canvas, _ *plot.Plot) {
	const gap = 8
	size := l.Rectangle(c).Size()
	if size.X == 0 {
		return
	}
	c.Min.X = c.Max.X - wider*size.X - gap
	c.Max.Y = c.Min.Y + size.Y + 2*gap
	c.SetColor(color.White)
	c.Fill(c.Path())
	l.Draw(draw.Crop(c, gap, 0, gap, 0))
}

// mark returns a mark with its interval in a color, and the mark for a legend.
// An interval without bounds is not drawn. Numbers are divided by the unit.
func mark(x float64, y estimate.Estimate, unit float64, style draw.GlyphStyle, interval color.Color) ([]plot.Plotter, *plotter.Scatter) {
	at := plotter.XYs{{X: x, Y: y.Center / unit}}
	scatter := &plotter.Scatter{XYs: at, GlyphStyle: style}
	if !bounded(y) {
		return []plot.Plotter{scatter}, scatter
	}
	bar := &plotter.YErrorBars{
		XYs:       at,
		YErrors:   plotter.YErrors{{Low: (y.Lo - y.Center) / unit, High: (y.Hi - y.Center) / unit}},
		LineStyle: draw.LineStyle{Color: interval, Width: 1},
		CapWidth:  2*style.Radius + 2,
	}
	return []plot.Plotter{bar, scatter}, scatter
}

func bounded(v estimate.Estimate) bool { return !math.IsInf(v.Hi, 0) }

// positive returns a figure that a logarithmic axis can show.
func positive(set *results.Set, key results.Key, unit string) (estimate.Estimate, error) {
	v, err := set.Estimate(key, unit)
	if err == nil && !(v.Center > 0 && v.Center < 1e38) {
		return v, fmt.Errorf("results %q: %s: %v %s; want a number above 0, and below 1e38", set.Name, key, v.Center, unit)
	}
	return v, err
}

// renderSVG draws a plot on white, so that it can be read on any page, below its
// legend.
func renderSVG(drawn chart) ([]byte, error) {
	p, legend := drawn.plot, drawn.legend
	canvas := vgsvg.New(chartWidth, cmp.Or(drawn.height, chartHeight))
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Path())
	p.BackgroundColor = nil
	c = draw.Crop(c, chartMargin, -chartMargin, chartMargin, -chartMargin)
	c = drawLegend(c, legend)
	// The plot would keep room for this title at the arithmetic middle of the
	// axis, which is near the end of a logarithmic one.
	below, beside := p.X.Label, p.Y.Label
	p.X.Label.Text, p.Y.Label.Text = "", ""
	room := vg.Length(0)
	if beside.Text != "" {
		room = beside.TextStyle.Height(beside.Text) + beside.Padding
	}
	inner := draw.Crop(c, room, 0, below.TextStyle.Height(below.Text)+below.Padding, 0)
	p.Draw(inner)
	data := p.DataCanvas(inner)
	c.FillText(below.TextStyle, vg.Point{X: data.Center().X, Y: c.Min.Y}, below.Text)
	upward := beside.TextStyle
	upward.Rotation += math.Pi / 2
	c.FillText(upward, vg.Point{X: c.Min.X + upward.FontExtents().Ascent, Y: data.Center().Y}, beside.Text)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// Helvetica and Arial are as wide as Liberation Sans.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Helvetica,Arial,sans-serif;")), nil
}

// roof is what one core can do at most with operands of so many bits.
type roof struct {
	op    string
	bits  int
	label string
	color color.Color
}

func (r roof) key() results.Key { return results.PeakKey(r.op, r.bits) }

var (
	roof512 = roof{"fma", 512, "fused multiply-add, 512 bits", palette[4]}
	roof256 = roof{"fma", 256, "fused multiply-add, 256 bits", palette[1]}
	roof128 = roof{"mul-add", 128, "multiply and add, 128 bits", palette[0]}
)

// kernel is one of the roofline.
type kernel struct {
	pkg, name    string // in the results
	title, short string // for a reader, in the legend and beside the mark
	roof         roof
	glyph        draw.GlyphStyle
	right        bool // the text beside the mark
	optional     bool // not missed where it was not measured
}

// kernels of the roofline. Some are hardly apart, so their marks have different
// sizes.
var kernels = []kernel{
	{"step10", "sse", "step 10, SSE", "10", roof128, draw.GlyphStyle{Color: palette[0], Radius: 6, Shape: draw.CircleGlyph{}}, false, false},
	{"step11", "sse", "step 11, SSE", "11", roof128, draw.GlyphStyle{Color: palette[2], Radius: 4, Shape: draw.PyramidGlyph{}}, true, false},
	{"step12", "avx2", "step 12, AVX2", "12", roof256, draw.GlyphStyle{Color: palette[1], Radius: 5, Shape: draw.BoxGlyph{}}, false, false},
	{"beyond/archsimd", "archsimd256", "archsimd, 256 bits", "archsimd256", roof256, draw.GlyphStyle{Color: palette[5], Radius: 5, Shape: draw.TriangleGlyph{}}, false, true},
	{"beyond/avx512", "avx512", "avx512", "avx512", roof512, draw.GlyphStyle{Color: palette[4], Radius: 6, Shape: draw.RingGlyph{}}, false, true},
	{"beyond/archsimd", "archsimd512", "archsimd, 512 bits", "archsimd512", roof512, draw.GlyphStyle{Color: palette[3], Radius: 4, Shape: draw.SquareGlyph{}}, false, true},
}

const (
	kernelSpheres  = 484   // about as many as the large scene has
	bytesPerSphere = 4 * 4 // the center and the radius squared
)

// giga is the unit of the roofline, in operations and bytes a second.
const giga = 1e9

// measuredRoof is a roof in the unit of the chart.
type measuredRoof struct {
	roof
	peak, bandwidth float64 // the latter is 0 if it was not measured
}

func measuredRoofs(set *results.Set) ([]measuredRoof, error) {
	var all []measuredRoof
	for _, r := range []roof{roof512, roof256, roof128} {
		if !set.Has(r.key()) {
			continue
		}
		peak, err := positive(set, r.key(), "flop/s")
		if err != nil {
			return nil, err
		}
		m := measuredRoof{roof: r, peak: peak.Center / giga}
		if load := results.PeakKey("load", r.bits); set.Has(load) {
			bandwidth, err := positive(set, load, "B/s")
			if err != nil {
				return nil, err
			}
			m.bandwidth = bandwidth.Center / giga
		}
		all = append(all, m)
	}
	return all, nil
}

// crowded reports whether the label of a roof has no room above it, since
// another roof is there.
func crowded(roofs []measuredRoof, i int, height func(measuredRoof) float64) bool {
	const room = 1.2 // on a logarithmic axis
	return slices.ContainsFunc(slices.Concat(roofs[:i], roofs[i+1:]), func(other measuredRoof) bool {
		return height(other) > height(roofs[i]) && height(other) < room*height(roofs[i])
	})
}

type measuredKernel struct {
	kernel
	intensity    float64           // operations a byte
	speed, share estimate.Estimate // in flop/s, and of the peak
}

// measuredKernels also returns those that were not measured and should have been.
func measuredKernels(set *results.Set) (all []measuredKernel, missing []kernel, err error) {
	for _, k := range kernels {
		key := results.KernelKey("raysteps/"+k.pkg, k.name, kernelSpheres)
		if !set.Has(key) {
			if !k.optional {
				missing = append(missing, k)
			}
			continue
		}
		speed, err := positive(set, key, "flop/s")
		if err != nil {
			return nil, nil, err
		}
		seconds, err := positive(set, key, "sec/sphere")
		if err != nil {
			return nil, nil, err
		}
		share, err := set.Ratio(key, k.roof.key(), "flop/s")
		if err != nil {
			return nil, nil, err
		}
		all = append(all, measuredKernel{k, speed.Center * seconds.Center / bytesPerSphere, speed, share})
	}
	return all, missing, nil
}

// roofline draws the speed of the kernels over the operations that they do
// with each byte, and above them what the core can do at most: as many
// operations as it can start, and as many as it can load numbers for.
func roofline(set *results.Set) (chart, error) {
	if err := set.NeedPeak(); err != nil {
		return chart{}, err
	}
	roofs, err := measuredRoofs(set)
	if err != nil {
		return chart{}, err
	}
	if len(roofs) == 0 {
		return chart{note: "No chart: the processor or the build has neither SSE nor AVX2."}, nil
	}
	found, missing, err := measuredKernels(set)
	if err != nil {
		return chart{}, err
	}

	// The axes go as far as there is something to see.
	xs, ys := []float64{1}, []float64{}
	for _, r := range roofs {
		ys = append(ys, r.peak)
		if r.bandwidth > 0 {
			xs = append(xs, r.peak/r.bandwidth)
		}
	}
	for _, k := range found {
		xs, ys = append(xs, k.intensity), append(ys, k.speed.Center/giga)
		if bounded(k.speed) {
			ys = append(ys, k.speed.Lo/giga, k.speed.Hi/giga)
		}
	}
	p := newPlot("arithmetic intensity (flop per byte loaded)", "speed (GFLOP/s)")
	ticks := ticksOfTwo(slices.Min(xs)/3, slices.Max(xs)*6)
	logarithmic(&p.X, ticks)
	left, right := ticks[0].Value, ticks[len(ticks)-1].Value

	for i, r := range roofs {
		dy := vg.Length(4)
		if crowded(roofs, i, func(r measuredRoof) float64 { return r.peak }) {
			dy = -insideSize - 1
		}
		path := plotter.XYs{{X: left, Y: r.peak}, {X: right, Y: r.peak}}
		if r.bandwidth > 0 {
			start, corner := plotter.XY{X: left, Y: r.bandwidth * left}, plotter.XY{X: r.peak / r.bandwidth, Y: r.peak}
			path = plotter.XYs{start, corner, path[1]}
			p.Add(slanted{start, corner, fmt.Sprintf("loads, %d bits: %.3g GB/s", r.bits, r.bandwidth),
				crowded(roofs, i, func(r measuredRoof) float64 { return r.bandwidth })})
			ys = append(ys, start.Y)
		}
		p.Add(&plotter.Line{XYs: path, LineStyle: draw.LineStyle{Color: r.color, Width: lineWidth}},
			label{at: path[1], dy: dy, text: fmt.Sprintf("%s: %.3g GFLOP/s", r.label, r.peak), last: true})
	}
	key := newLegend()
	p.Add(key)
	alt := []string{"Roofline of one core"}
	intervals := true
	before, behind := &labels{left: true}, &labels{}
	for _, k := range found {
		speed := k.speed.Center / giga
		marks, icon := mark(k.intensity, k.speed, giga, k.glyph, ink)
		p.Add(marks...)
		side := before
		if k.right {
			side = behind
		}
		side.of = append(side.of, label{at: plotter.XY{X: k.intensity, Y: speed}, text: k.short})
		text := fmt.Sprintf("%s: %.3g GFLOP/s, %.0f%% of the %d-bit peak", k.title, speed, 100*k.share.Center, k.roof.bits)
		key.Add(text, icon)
		alt = append(alt, text)
		intervals = intervals && bounded(k.speed)
	}
	p.Add(before, behind)
	logarithmic(&p.Y, ticks125(slices.Min(ys)/2.5, slices.Max(ys)*1.4))

	note := fmt.Sprintf("Kernels over %d spheres, each with a bar for the interval, below what one core can do at most.", kernelSpheres)
	if !intervals {
		note = fmt.Sprintf("Kernels over %d spheres, below what one core can do at most. An interval takes several link orders.", kernelSpheres)
	}
	if len(missing) > 0 {
		var names []string
		for _, k := range missing {
			step, kind, _ := strings.Cut(k.title, ", ")
			names = append(names, fmt.Sprintf("the %s kernel of %s", kind, step))
		}
		note += " Not measured there: " + strings.Join(names, ", ") + "."
	}
	return chart{plot: p, alt: strings.Join(alt, "; "), note: note}, nil
}

func fillShare(p *page, c directive.Call) (string, error) {
	set, err := p.measured(ofExperiments)
	if err != nil {
		return "", err
	}
	kernel := c.Get("kernel")
	if known := []string{"sse", "avx2", "avx512", "archsimd256", "archsimd512", "generic"}; !slices.Contains(known, kernel) {
		return "", fmt.Errorf("kernel is %q; want %s", kernel, strings.Join(known, " or "))
	}
	bits, err := c.Int("bits", 0)
	if err != nil {
		return "", err
	}
	var sizes []int
	for _, n := range c.List("n") {
		size, err := strconv.Atoi(n)
		if err != nil || size < 1 {
			return "", fmt.Errorf("n is %q; want numbers of spheres, such as 8,484", c.Get("n"))
		}
		sizes = append(sizes, size)
	}
	below, err := p.captionOf(set, ofExperiments)
	if err != nil {
		return "", err
	}
	table, err := set.Share("raysteps/"+c.Get("pkg"), kernel, c.Get("op"), bits, sizes)
	if errors.Is(err, results.ErrNotMeasured) {
		return "The " + kernel + " kernel was not measured: the processor or the build lacks it.\n" + below, nil
	}
	return table.Markdown() + below, err
}
