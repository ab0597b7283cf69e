package main

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

	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
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
			marks, _ := mark(at.x, at.y, 1, glyph, glyph.Color)
			p.Add(marks...)
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

// scenesOf returns the scenes of a set, the one with the most spheres last.
func scenesOf(set *results.Set) []string {
	measured := set.Scenes()
	return slices.DeleteFunc(scene.Names(), func(name string) bool { return !slices.Contains(measured, name) })
}

// alongSteps makes the horizontal axis one of steps, and returns where each
// of them is. The names of beyond take more room than numbers.
func alongSteps(p *plot.Plot, list []steps.Step) map[string]float64 {
	at := map[string]float64{}
	var ticks []plot.Tick
	x := 0.0
	for i, s := range list {
		if i > 0 {
			x++
		}
		if s.Number == 0 {
			x += 2.2
		}
		at[s.Name] = x
		ticks = append(ticks, plot.Tick{Value: x, Label: s.Short()})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max = -0.6, x+0.6
	if len(list) > 0 && list[len(list)-1].Number == 0 {
		p.X.Max += 0.6
	}
	return at
}

// numberedOf returns how many of the steps have a number; those come first.
func numberedOf(list []steps.Step) int {
	return len(slices.DeleteFunc(slices.Clone(list), func(s steps.Step) bool { return s.Number == 0 }))
}

// byStep draws a series for each scene along the steps.
func byStep(set *results.Set, title string, logarithmicTicks func(lo, hi float64) []plot.Tick,
	value func(step steps.Step, scene string) (estimate.Estimate, error)) (chart, []series, error) {
	list := set.MeasuredSteps()
	p := newPlot("step", title)
	at := alongSteps(p, list)
	var all []series
	for _, name := range slices.Backward(scenesOf(set)) {
		s := series{name: name + " scene", line: numberedOf(list)}
		for _, step := range list {
			v, err := value(step, name)
			if err != nil {
				return chart{}, nil, err
			}
			s.points = append(s.points, point{at[step.Name], v})
		}
		all = append(all, s)
	}
	slices.Reverse(all)
	lo, hi := spans(all)
	logarithmic(&p.Y, logarithmicTicks(lo, hi))
	return chart{plot: p, legend: add(p, all)}, all, nil
}

// mega is the unit of rates in charts.
const mega = 1e6

func drawRates(set *results.Set, _ directive.Call) (chart, error) {
	made, all, err := byStep(set, "million rays per second", ticks125, func(step steps.Step, scene string) (estimate.Estimate, error) {
		v, err := positive(set, results.RenderKey(step.Package(), scene), "rays/s")
		return results.Scaled(v, 1/mega), err
	})
	made.alt = "Rays per second by step" + ends(all, in("million"))
	made.note = "Rays per second of each step, for each scene, on a logarithmic axis." + intervals(all)
	return made, err
}

func drawSpeedups(set *results.Set, _ directive.Call) (chart, error) {
	first := steps.All()[0].Package()
	made, all, err := byStep(set, "times the speed of step 1", ticks125, func(step steps.Step, scene string) (estimate.Estimate, error) {
		return set.Ratio(results.RenderKey(step.Package(), scene), results.RenderKey(first, scene), "rays/s")
	})
	made.alt = "Speed-up over step 1 by step" + ends(all, in("times"))
	made.note = "Speed of each step against step 1, for each scene, on a logarithmic axis." + intervals(all)
	return made, err
}

// ends says where each series begins and ends, for readers who do not see it.
func ends(all []series, number func(float64) string) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "; %s: from %s to %s", s.name, number(s.points[0].y.Center), number(s.points[len(s.points)-1].y.Center))
	}
	return b.String()
}

// in writes numbers with three digits and a unit.
func in(unit string) func(float64) string {
	return func(x float64) string { return fmt.Sprintf("%.3g %s", x, unit) }
}

// stepOf returns the step that a call names, or the first that was measured.
func stepOf(set *results.Set, c directive.Call) (steps.Step, error) {
	if c.Has("step") {
		return steps.Find(c.Get("step"))
	}
	list := set.MeasuredSteps()
	if len(list) == 0 {
		return steps.Step{}, fmt.Errorf("results %q: no step that is known here", set.Name)
	}
	return list[0], nil
}

// sweepOf returns the step of a call and its points.
func sweepOf(set *results.Set, c directive.Call) (steps.Step, []results.SweepPoint, error) {
	step, err := stepOf(set, c)
	if err != nil {
		return step, nil, err
	}
	points, err := set.Sweep(step)
	return step, points, err
}

// values lists the different ones of a field, sorted.
func values(points []results.SweepPoint, field func(results.SweepPoint) int) []int {
	var all []int
	for _, p := range points {
		all = append(all, field(p))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func tileOf(p results.SweepPoint) int    { return p.Tile }
func workersOf(p results.SweepPoint) int { return p.Workers }

// usualTile is the size of tiles that the steps have.
const usualTile = 32

// chosen returns the number that a key of a call names, or otherwise the usual
// one or, where that was not measured, the last.
func chosen(c directive.Call, key string, usual int, measured []int) (int, error) {
	if !slices.Contains(measured, usual) {
		usual = measured[len(measured)-1]
	}
	n, err := c.Int(key, usual)
	if err == nil && !slices.Contains(measured, n) {
		err = fmt.Errorf("%s is %d, which was not measured; want one of %s", key, n, list(measured))
	}
	return n, err
}

func list(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ", ")
}

// powersOf makes an axis logarithmic with a tick for each of some numbers and
// a margin on both sides.
func powersOf(axis *plot.Axis, numbers []int) {
	axis.Scale = plot.LogScale{}
	var ticks []plot.Tick
	for _, n := range numbers {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	axis.Tick.Marker = plot.ConstantTicks(ticks)
	margin := math.Pow(float64(numbers[len(numbers)-1])/float64(numbers[0]), 0.05)
	margin = max(margin, 1.05)
	axis.Min, axis.Max = float64(numbers[0])/margin, float64(numbers[len(numbers)-1])*margin
}

func drawWorkers(set *results.Set, c directive.Call) (chart, error) {
	step, points, err := sweepOf(set, c)
	if err != nil {
		return chart{}, err
	}
	tile, err := chosen(c, "tile", usualTile, values(points, tileOf))
	if err != nil {
		return chart{}, err
	}
	numbers := values(points, workersOf)
	if numbers[0] != 1 || len(numbers) < 2 {
		return chart{}, fmt.Errorf("results %q: %s was measured with %s workers; want 1 and more", set.Name, step.Title(), list(numbers))
	}
	var all []series
	for _, name := range scenesOf(set) {
		s := series{name: name + " scene"}
		one := results.SweepPoint{Scene: name, Tile: tile, Workers: 1}
		for _, n := range numbers {
			p := one
			p.Workers = n
			v, err := set.Ratio(p.Key(step), one.Key(step), "rays/s")
			if err != nil {
				return chart{}, err
			}
			s.points = append(s.points, point{float64(n), v})
		}
		s.line = len(s.points)
		all = append(all, s)
	}
	most := float64(numbers[len(numbers)-1])
	p := newPlot("workers", "times the speed of one worker")
	powersOf(&p.X, numbers)
	powersOf(&p.Y, numbers)
	sideBySide(&p.X, all)
	lo, hi := spans(all)
	p.Y.Min, p.Y.Max = min(p.Y.Min, lo/1.05), max(p.Y.Max, hi*1.05)
	style := draw.LineStyle{Color: ink, Width: thin, Dashes: []vg.Length{5, 4}}
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: 1, Y: 1}, {X: most, Y: most}}, LineStyle: style})
	legend := append(add(p, all), legendEntry{text: "workers times one", line: &style})
	return chart{
		plot: p, legend: legend,
		alt:  "Speed-up over one worker" + ends(all, in("times")),
		note: fmt.Sprintf("Speed of %s by number of workers against one worker, tiles of %dx%d, on logarithmic axes.", step.Title(), tile, tile) + intervals(all),
	}, nil
}

func drawTiles(set *results.Set, c directive.Call) (chart, error) {
	step, points, err := sweepOf(set, c)
	if err != nil {
		return chart{}, err
	}
	tiles, numbers := values(points, tileOf), values(points, workersOf)
	workers, err := chosen(c, "workers", numbers[len(numbers)-1], numbers)
	if err != nil {
		return chart{}, err
	}
	if len(tiles) < 2 {
		return chart{}, fmt.Errorf("results %q: %s was measured with tiles of one size; want several", set.Name, step.Title())
	}
	usual := usualTile
	if !slices.Contains(tiles, usual) {
		usual = tiles[0]
	}
	var all []series
	for _, name := range scenesOf(set) {
		s := series{name: name + " scene", line: len(tiles)}
		base := results.SweepPoint{Scene: name, Tile: usual, Workers: workers}
		for _, n := range tiles {
			p := base
			p.Tile = n
			v, err := set.Ratio(p.Key(step), base.Key(step), "rays/s")
			if err != nil {
				return chart{}, err
			}
			s.points = append(s.points, point{float64(n), results.Scaled(v, 100)})
		}
		all = append(all, s)
	}
	p := newPlot("side of a tile (pixels)", fmt.Sprintf("speed (%% of that with tiles of %dx%d)", usual, usual))
	powersOf(&p.X, tiles)
	sideBySide(&p.X, all)
	linear(&p.Y, all, 100)
	with := fmt.Sprintf("%d workers", workers)
	if workers == 1 {
		with = "one worker"
	}
	return chart{
		plot: p, legend: add(p, all),
		alt:  "Speed by size of tiles" + ends(all, in("%")),
		note: fmt.Sprintf("Speed of %s by size of tiles, with %s. The axis does not begin at 0.", step.Title(), with) + intervals(all),
	}, nil
}

// drawSchedule draws the efficiency on simulated processors, a line for each
// way to divide the picture.
func drawSchedule(set *results.Set, c directive.Call) (chart, error) {
	name, err := sceneOf(c)
	if err != nil {
		return chart{}, err
	}
	step, err := stepOf(set, c)
	if err != nil {
		return chart{}, err
	}
	measured, err := set.Schedule(step)
	if err != nil {
		return chart{}, err
	}
	if len(measured.Workers) < 2 {
		return chart{}, fmt.Errorf("results %q: %s was simulated with one number of workers; want several", set.Name, step.Title())
	}
	var all []series
	for _, division := range measured.Divisions {
		s := series{name: division.Title(), line: len(measured.Workers)}
		for _, n := range measured.Workers {
			v, err := set.Efficiency(step, name, division, n)
			if err != nil {
				return chart{}, err
			}
			s.points = append(s.points, point{float64(n), results.Scaled(v, 100)})
		}
		all = append(all, s)
	}
	p := newPlot("workers", "efficiency (%)")
	powersOf(&p.X, measured.Workers)
	var ticks []plot.Tick
	for percent := 0; percent <= 100; percent += 20 {
		ticks = append(ticks, plot.Tick{Value: float64(percent), Label: strconv.Itoa(percent)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	_, hi := spans(all)
	p.Y.Min, p.Y.Max = 0, max(105, hi)
	return chart{
		plot: p, legend: add(p, all),
		alt: "Efficiency by number of workers, the " + name + " scene" + ends(all, in("%")),
		note: fmt.Sprintf("Efficiency of %s on processors that are simulated, the %s scene, on a logarithmic axis of workers: the measured times of the tiles, of rows or of equal parts, handed out to so many workers.",
			step.Title(), name) + intervals(all),
	}, nil
}

// linear makes an axis that has room for the series and for a number.
func linear(axis *plot.Axis, all []series, with float64) {
	lo, hi := spans(all)
	lo, hi = min(lo, with), max(hi, with)
	margin := max(0.08*(hi-lo), 0.01*with)
	axis.Min, axis.Max = lo-margin, hi+margin
}

// The builds of the chart of link orders: functions at multiples of 32 bytes,
// which is what the linker does by itself, and of 64.
const (
	functionsAt32 = "v1"
	functionsAt64 = "v1+align64"
)

// drawOrders draws one step against another, a point for each link order.
func drawOrders(set *results.Set, c directive.Call) (chart, error) {
	name, err := sceneOf(c)
	if err != nil {
		return chart{}, err
	}
	from, to, err := twoOf(c)
	if err != nil {
		return chart{}, err
	}
	p := newPlot("link order", fmt.Sprintf("speed of %s over %s", to.Title(), from.Title()))
	var all []series
	for _, b := range []struct{ build, name string }{{functionsAt32, "functions at multiples of 32 bytes"}, {functionsAt64, "of 64 bytes"}} {
		ratios, err := set.ByLinkOrder(results.BuildKey(to.Package(), name, b.build), results.BuildKey(from.Package(), name, b.build), "rays/s")
		if err != nil {
			return chart{}, err
		}
		s := series{name: b.name}
		for i, ratio := range ratios {
			s.points = append(s.points, point{float64(i + 1), estimate.Estimate{Center: ratio, Lo: ratio, Hi: ratio}})
		}
		all = append(all, s)
	}
	linear(&p.Y, all, 1)
	p.X.Min, p.X.Max = 0, float64(len(all[0].points)+1)
	var alt []string
	for _, s := range all {
		lo, hi := spans([]series{s})
		alt = append(alt, fmt.Sprintf("%s: %.3f to %.3f", s.name, lo, hi))
	}
	return chart{
		plot: p, legend: add(p, all),
		alt:  fmt.Sprintf("Speed of %s over %s in the %s scene by link order; %s", to.Title(), from.Title(), name, strings.Join(alt, "; ")),
		note: fmt.Sprintf("Speed of %s over %s in the %s scene: a point is a link order, the same code each time.", to.Title(), from.Title(), name),
	}, nil
}

func drawBuilds(set *results.Set, c directive.Call) (chart, error) {
	builds := set.Builds()
	if len(builds) < 2 {
		return chart{}, fmt.Errorf("results %q: one build; want several", set.Name)
	}
	name, err := sceneOf(c)
	if err != nil {
		return chart{}, err
	}
	measured := set.MeasuredSteps()
	p := newPlot("step", "times the speed of "+builds[0])
	at := alongSteps(p, measured)
	var all []series
	for i, build := range builds[1:] {
		s := series{name: build}
		// Side by side, so that no mark hides another.
		shift := 0.7 * (float64(i+1)/float64(len(builds)) - 0.5)
		for _, step := range measured {
			v, err := set.Ratio(results.BuildKey(step.Package(), name, build), results.BuildKey(step.Package(), name, builds[0]), "rays/s")
			if err != nil {
				return chart{}, err
			}
			s.points = append(s.points, point{at[step.Name] + shift, v})
		}
		all = append(all, s)
	}
	linear(&p.Y, all, 1)
	style := draw.LineStyle{Color: ink, Width: thin}
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: p.X.Min, Y: 1}, {X: p.X.Max, Y: 1}}, LineStyle: style})
	legend := append([]legendEntry{{text: builds[0], line: &style}}, add(p, all)...)
	return chart{
		plot: p, legend: legend,
		alt:  "Speed by build, the " + name + " scene" + ranges(all),
		note: fmt.Sprintf("Speed of each step in other builds against %s, the %s scene. The axis does not begin at 0.", builds[0], name) + intervals(all),
	}, nil
}

// ranges says between what each series is.
func ranges(all []series) string {
	var b strings.Builder
	for _, s := range all {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, at := range s.points {
			lo, hi = min(lo, at.y.Center), max(hi, at.y.Center)
		}
		fmt.Fprintf(&b, "; %s: %.2f to %.2f times", s.name, lo, hi)
	}
	return b.String()
}

// sceneOf returns the scene that a call names, or the large one.
func sceneOf(c directive.Call) (string, error) {
	if !c.Has("scene") {
		return "large", nil
	}
	_, err := scene.ByName(c.Get("scene"))
	return c.Get("scene"), err
}

func drawSpheres(set *results.Set, _ directive.Call) (chart, error) {
	sizes, err := set.Spheres()
	if err != nil {
		return chart{}, err
	}
	var all []series
	for _, step := range set.MeasuredSteps() {
		s := series{name: step.Title(), line: len(sizes)}
		for _, n := range sizes {
			v, err := positive(set, results.SpheresKey(step.Package(), n), "rays/s")
			if err != nil {
				return chart{}, err
			}
			s.points = append(s.points, point{float64(n), v})
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return chart{}, fmt.Errorf("results %q: no step that is known here", set.Name)
	}
	p := newPlot("spheres", "rays per second")
	lo, hi := spans(all)
	logarithmic(&p.X, ticksOfTen(float64(sizes[0]), float64(sizes[len(sizes)-1])))
	logarithmic(&p.Y, ticksOfTen(lo, hi))
	return chart{
		plot: p, legend: add(p, all),
		alt:  "Rays per second by number of spheres" + ends(all, func(x float64) string { return benchunit.Scale(x, benchunit.Decimal) }),
		note: "Rays per second by number of spheres, on logarithmic axes." + intervals(all),
	}, nil
}

// ticksOfTen returns powers of ten, from the last that is not above lo to the
// first that is not below hi: 100, 1k, 10k.
func ticksOfTen(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for exponent := int(math.Floor(math.Log10(lo) + 1e-9)); ; exponent++ {
		value, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", exponent), 64)
		label := strconv.FormatFloat(value, 'f', -1, 64)
		for _, unit := range []struct {
			size float64
			name string
		}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
			if value >= unit.size {
				label = strconv.FormatFloat(value/unit.size, 'f', -1, 64) + unit.name
				break
			}
		}
		if ticks = append(ticks, plot.Tick{Value: value, Label: label}); value >= hi*(1-1e-9) {
			return ticks
		}
	}
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
