package chart

import (
	"fmt"
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
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// positive returns a figure that a logarithmic axis can show.
func positive(set *results.Set, key results.Key, unit string) (estimate.Estimate, error) {
	v, err := set.Estimate(key, unit)
	if err == nil && !(v.Center > 0 && v.Center < 1e38) {
		return v, fmt.Errorf("results %q: %s: %v %s; want a number above 0, and below 1e38", set.Name, key, v.Center, unit)
	}
	return v, err
}

// scenesOf returns the scenes of a set, the one with the most spheres last.
func scenesOf(set *results.Set) []string {
	measured := set.Scenes()
	return slices.DeleteFunc(scene.Names(), func(name string) bool { return !slices.Contains(measured, name) })
}

// sceneLabel is what a legend calls a scene.
func sceneLabel(name string) string { return name + " scene" }

// labels are the names of series for some things.
func labels[T any](things []T, label func(T) string) []string {
	var all []string
	for _, thing := range things {
		all = append(all, label(thing))
	}
	return all
}

// floats are places on an axis.
func floats(numbers []int) []float64 {
	var all []float64
	for _, n := range numbers {
		all = append(all, float64(n))
	}
	return all
}

// alongSteps makes the horizontal axis one of steps, and returns where each
// of them is. The names of beyond take more room than numbers.
func alongSteps(p *plot.Plot, list []steps.Step) []float64 {
	var at []float64
	var ticks []plot.Tick
	x := 0.0
	for i, s := range list {
		if i > 0 {
			x++
		}
		if s.Number == 0 {
			x += 2.2
		}
		at = append(at, x)
		label := s.Short()
		if len(label) > 1 && i%2 == 0 { // a row lower, so that no label touches the next
			label = "\n" + label
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: label})
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
	value func(step steps.Step, scene string) (estimate.Estimate, error)) (Chart, []series, error) {
	list := set.MeasuredSteps()
	p := newPlot("step", title)
	at := alongSteps(p, list)
	scenes := scenesOf(set)
	all, err := newSeries(labels(scenes, sceneLabel), at, numberedOf(list), func(i, j int) (estimate.Estimate, error) {
		return value(list[j], scenes[i])
	})
	if err != nil {
		return Chart{}, nil, err
	}
	lo, hi := spans(all)
	logarithmic(&p.Y, logarithmicTicks(lo, hi))
	return Chart{plot: p, legend: add(p, all)}, all, nil
}

// mega is the unit of rates in charts.
const mega = 1e6

// Rates draws the rays a second of each step, a line for each scene.
func Rates(set *results.Set) (Chart, error) {
	c, all, err := byStep(set, "million rays per second", ticks125, func(step steps.Step, scene string) (estimate.Estimate, error) {
		v, err := positive(set, results.RenderKey(step.Package(), scene), "rays/s")
		return results.Scaled(v, 1/mega), err
	})
	c.Alt = "Rays per second by step" + ranges(all, "%.3g", "million")
	c.Note = "Rays per second of each step, for each scene, on a logarithmic axis." + intervals(all)
	return c, err
}

// Speedups draws the speed of each step against the first, a line for each
// scene.
func Speedups(set *results.Set) (Chart, error) {
	first := steps.All()[0].Package()
	c, all, err := byStep(set, "times the speed of step 1", ticks125, func(step steps.Step, scene string) (estimate.Estimate, error) {
		return set.Ratio(results.RenderKey(step.Package(), scene), results.RenderKey(first, scene), "rays/s")
	})
	c.Alt = "Speed-up over step 1 by step" + ranges(all, "%.3g", "times")
	c.Note = "Speed of each step against step 1, for each scene, on a logarithmic axis." + intervals(all)
	return c, err
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

// usualTile is the size of tiles that the steps have.
const usualTile = 32

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

// Workers draws the speed of a step by number of goroutines, with tiles of the
// usual size, a line for each scene.
func Workers(set *results.Set) (Chart, error) {
	step, numbers := set.FirstStep(), set.Numbers("workers")
	if len(numbers) < 2 || numbers[0] != 1 {
		return Chart{}, fmt.Errorf("results %q: %s was measured with %v workers; want 1 and more", set.Name, step.Title(), numbers)
	}
	scenes := scenesOf(set)
	all, err := newSeries(labels(scenes, sceneLabel), floats(numbers), len(numbers), func(i, j int) (estimate.Estimate, error) {
		key := func(workers int) results.Key { return results.SweepKey(step.Package(), scenes[i], usualTile, workers) }
		return set.Ratio(key(numbers[j]), key(1), "rays/s")
	})
	if err != nil {
		return Chart{}, err
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
	return Chart{
		plot: p, legend: legend,
		Alt:  "Speed-up over one worker" + ends(all, in("times")),
		Note: fmt.Sprintf("Speed of %s by number of workers against one worker, tiles of %dx%d, on logarithmic axes.", step.Title(), usualTile, usualTile) + intervals(all),
	}, nil
}

// Tiles draws the speed of a step by size of tiles, with as many goroutines as
// there are processors, a line for each scene.
func Tiles(set *results.Set) (Chart, error) {
	step, tiles, numbers := set.FirstStep(), set.Numbers("tile"), set.Numbers("workers")
	if len(tiles) < 2 || len(numbers) == 0 {
		return Chart{}, fmt.Errorf("results %q: %s was not measured with tiles of several sizes", set.Name, step.Title())
	}
	workers := slices.Max(numbers)
	scenes := scenesOf(set)
	all, err := newSeries(labels(scenes, sceneLabel), floats(tiles), len(tiles), func(i, j int) (estimate.Estimate, error) {
		key := func(tile int) results.Key { return results.SweepKey(step.Package(), scenes[i], tile, workers) }
		v, err := set.Ratio(key(tiles[j]), key(usualTile), "rays/s")
		return results.Scaled(v, 100), err
	})
	if err != nil {
		return Chart{}, err
	}
	p := newPlot("side of a tile (pixels)", fmt.Sprintf("speed (%% of that with tiles of %dx%d)", usualTile, usualTile))
	powersOf(&p.X, tiles)
	sideBySide(&p.X, all)
	linear(&p.Y, all, 100)
	with := fmt.Sprintf("%d workers", workers)
	if workers == 1 {
		with = "one worker"
	}
	return Chart{
		plot: p, legend: add(p, all),
		Alt:  "Speed by size of tiles" + ends(all, in("%")),
		Note: fmt.Sprintf("Speed of %s by size of tiles, with %s. The axis does not begin at 0.", step.Title(), with) + intervals(all),
	}, nil
}

// Schedule draws the efficiency of a step in a scene on simulated processors, a
// line for each way to divide the picture.
func Schedule(set *results.Set, scene string) (Chart, error) {
	step, numbers := set.FirstStep(), set.Numbers("workers")
	if len(numbers) < 2 {
		return Chart{}, fmt.Errorf("results %q: %s was simulated with one number of workers; want several", set.Name, step.Title())
	}
	divisions := set.Divisions()
	all, err := newSeries(labels(divisions, results.Division.Title), floats(numbers), len(numbers), func(i, j int) (estimate.Estimate, error) {
		v, err := set.Efficiency(step, scene, divisions[i], numbers[j])
		return results.Scaled(v, 100), err
	})
	if err != nil {
		return Chart{}, err
	}
	p := newPlot("workers", "efficiency (%)")
	powersOf(&p.X, numbers)
	var ticks []plot.Tick
	for percent := 0; percent <= 100; percent += 20 {
		ticks = append(ticks, plot.Tick{Value: float64(percent), Label: strconv.Itoa(percent)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	_, hi := spans(all)
	p.Y.Min, p.Y.Max = 0, max(105, hi)
	return Chart{
		plot: p, legend: add(p, all),
		Alt: "Efficiency by number of workers, the " + scene + " scene" + ends(all, in("%")),
		Note: fmt.Sprintf("Efficiency of %s on processors that are simulated, the %s scene, on a logarithmic axis of workers: the measured times of the tiles, of rows or of equal parts, handed out to so many workers.",
			step.Title(), scene) + intervals(all),
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

// Orders draws one step against another in a scene, a point for each link order.
func Orders(set *results.Set, scene string, from, to steps.Step) (Chart, error) {
	p := newPlot("link order", fmt.Sprintf("speed of %s over %s", to.Title(), from.Title()))
	var all []series
	for _, b := range []struct{ build, name string }{{functionsAt32, "functions at multiples of 32 bytes"}, {functionsAt64, "of 64 bytes"}} {
		ratios, err := set.ByLinkOrder(results.BuildKey(to.Package(), scene, b.build), results.BuildKey(from.Package(), scene, b.build), "rays/s")
		if err != nil {
			return Chart{}, err
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
	return Chart{
		plot: p, legend: add(p, all),
		Alt:  fmt.Sprintf("Speed of %s over %s in the %s scene by link order; %s", to.Title(), from.Title(), scene, strings.Join(alt, "; ")),
		Note: fmt.Sprintf("Speed of %s over %s in the %s scene: a point is a link order, the same code each time.", to.Title(), from.Title(), scene),
	}, nil
}

// Builds draws the speed of the steps in a scene by build, against the first one.
func Builds(set *results.Set, scene string) (Chart, error) {
	builds := set.Builds()
	if len(builds) < 2 {
		return Chart{}, fmt.Errorf("results %q: one build; want several", set.Name)
	}
	measured := set.MeasuredSteps()
	p := newPlot("step", "times the speed of "+builds[0])
	at := alongSteps(p, measured)
	all, err := newSeries(builds[1:], at, 0, func(i, j int) (estimate.Estimate, error) {
		key := func(build string) results.Key { return results.BuildKey(measured[j].Package(), scene, build) }
		return set.Ratio(key(builds[i+1]), key(builds[0]), "rays/s")
	})
	if err != nil {
		return Chart{}, err
	}
	for i, s := range all { // side by side, so that no mark hides another
		for j := range s.points {
			s.points[j].x += 0.7 * (float64(i+1)/float64(len(builds)) - 0.5)
		}
	}
	linear(&p.Y, all, 1)
	style := draw.LineStyle{Color: ink, Width: thin}
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: p.X.Min, Y: 1}, {X: p.X.Max, Y: 1}}, LineStyle: style})
	legend := append([]legendEntry{{text: builds[0], line: &style}}, add(p, all)...)
	return Chart{
		plot: p, legend: legend,
		Alt:  "Speed by build, the " + scene + " scene" + ranges(all, "%.2f", "times"),
		Note: fmt.Sprintf("Speed of each step in other builds against %s, the %s scene. The axis does not begin at 0.", builds[0], scene) + intervals(all),
	}, nil
}

// ranges says between what each series is, in a format for numbers and with a
// unit.
func ranges(all []series, format, unit string) string {
	var b strings.Builder
	for _, s := range all {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, at := range s.points {
			lo, hi = min(lo, at.y.Center), max(hi, at.y.Center)
		}
		fmt.Fprintf(&b, "; %s: "+format+" to "+format+" %s", s.name, lo, hi, unit)
	}
	return b.String()
}

// Spheres draws rays a second by number of spheres, a line for each step, and
// where the tree becomes faster than another step.
func Spheres(set *results.Set) (Chart, error) {
	sizes, list := set.Numbers("spheres"), set.MeasuredSteps()
	if len(sizes) == 0 || len(list) == 0 {
		return Chart{}, fmt.Errorf("results %q: no measurements of steps by number of spheres", set.Name)
	}
	all, err := newSeries(labels(list, steps.Step.Title), floats(sizes), len(sizes), func(i, j int) (estimate.Estimate, error) {
		return positive(set, results.SpheresKey(list[i].Package(), sizes[j]), "rays/s")
	})
	if err != nil {
		return Chart{}, err
	}
	p := newPlot("spheres", "rays per second")
	lo, hi := spans(all)
	logarithmic(&p.X, ticksOfTen(float64(sizes[0]), float64(sizes[len(sizes)-1])))
	logarithmic(&p.Y, ticksOfTen(lo, hi))
	legend := add(p, all)
	crossings, err := set.Crossings()
	if err != nil {
		return Chart{}, err
	}
	crossed := ""
	if len(crossings) > 0 {
		tree := all[slices.IndexFunc(list, func(s steps.Step) bool { return s.Name == "tree" })]
		if err := markCrossings(p, crossings, tree); err != nil {
			return Chart{}, err
		}
		crossed = " A ring is where the tree passes another step: it is faster than " + results.JoinCrossings(crossings) + "."
	}
	return Chart{
		plot: p, legend: legend,
		Alt:  "Rays per second by number of spheres" + ends(all, func(x float64) string { return benchunit.Scale(x, benchunit.Decimal) }),
		Note: "Rays per second by number of spheres, on logarithmic axes." + intervals(all) + crossed,
	}, nil
}

// markCrossings marks where the line of the tree passes those of other steps, with
// the number of spheres.
func markCrossings(p *plot.Plot, crossings []results.Crossing, tree series) error {
	var at plotter.XYLabels
	for _, c := range crossings {
		if n := results.FormatSpheres(c.Spheres.Center); !slices.Contains(at.Labels, n) {
			at.XYs = append(at.XYs, plotter.XY{X: c.Spheres.Center, Y: tree.between(c.Spheres.Center)})
			at.Labels = append(at.Labels, n)
		}
	}
	labels, err := plotter.NewLabels(at)
	if err != nil {
		return err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i] = textStyle(textSize)
	}
	labels.Offset = vg.Point{X: 7, Y: 2}
	p.Add(&plotter.Scatter{XYs: at.XYs, GlyphStyle: draw.GlyphStyle{Color: ink, Radius: 5, Shape: draw.RingGlyph{}}}, labels)
	return nil
}

// between returns the value of the line at x, on logarithmic axes.
func (s *series) between(x float64) float64 {
	i := 1
	for i < len(s.points)-1 && s.points[i].x < x {
		i++
	}
	a, b := s.points[i-1], s.points[i]
	return a.y.Center * math.Pow(b.y.Center/a.y.Center, math.Log(x/a.x)/math.Log(b.x/a.x))
}
