package main

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"raysteps/common/scene"
	"raysteps/scripts/internal/chart"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/published"
	"raysteps/scripts/internal/results"
)

func init() {
	register("chart", directive.Directive{
		Required: []string{"kind"}, Optional: []string{"scene", "from", "to"},
		Usage: "chart kind=rates [scene=large] [from=6] [to=7]",
		Help: `A chart, drawn into docs/charts. rates and speedups: the steps, a line for each
scene. roofline: the kernels of steps 10 to 12, and those of beyond that were
measured, below what one core can do at most. workers and tiles: a step with
goroutines, by their number and by the size of tiles. schedule: its efficiency
in one scene on processors that are simulated. timeline: what ran on each
processor, from an execution trace. builds: the steps in one scene by build.
orders: one step against another in one scene, a point for each link order.
spheres: rays a second by number of spheres.`,
	}, fillChart)
}

// chartKind draws a kind of chart from measurements of a kind.
type chartKind struct {
	of   results.Kind
	keys []string // that it needs besides its kind
	draw func(*results.Set, directive.Call) (chart.Chart, error)
}

// charts are all kinds. The timeline is drawn from a trace.
var charts = map[string]chartKind{
	"builds": {results.OfBuilds, []string{"scene"}, func(set *results.Set, c directive.Call) (chart.Chart, error) {
		return chart.Builds(set, c.Get("scene"))
	}},
	"orders": {results.OfBuilds, []string{"scene", "from", "to"}, func(set *results.Set, c directive.Call) (chart.Chart, error) {
		from, to, err := twoSteps(c)
		if err != nil {
			return chart.Chart{}, err
		}
		return chart.Orders(set, c.Get("scene"), from, to)
	}},
	"rates":    {results.OfSteps, nil, whole(chart.Rates)},
	"roofline": {results.OfExperiments, nil, whole(chart.Roofline)},
	"schedule": {results.OfSchedules, []string{"scene"}, func(set *results.Set, c directive.Call) (chart.Chart, error) {
		return chart.Schedule(set, c.Get("scene"))
	}},
	"speedups": {results.OfSteps, nil, whole(chart.Speedups)},
	"spheres":  {results.OfSpheres, nil, whole(chart.Spheres)},
	"tiles":    {results.OfSweep, nil, whole(chart.Tiles)},
	"timeline": {published.Timeline, nil, nil},
	"workers":  {results.OfSweep, nil, whole(chart.Workers)},
}

// whole is the draw function of a chart that shows all of a set.
func whole(draw func(*results.Set) (chart.Chart, error)) func(*results.Set, directive.Call) (chart.Chart, error) {
	return func(set *results.Set, _ directive.Call) (chart.Chart, error) { return draw(set) }
}

func fillChart(p *page, c directive.Call) (string, error) {
	name := c.Get("kind")
	kind, ok := charts[name]
	if !ok {
		return "", fmt.Errorf("kind is %q; want %s", name, strings.Join(slices.Sorted(maps.Keys(charts)), " or "))
	}
	file := "docs/charts/" + name
	for _, key := range []string{"scene", "from", "to"} {
		switch needed := slices.Contains(kind.keys, key); {
		case needed && !c.Has(key):
			return "", fmt.Errorf("a chart of %s needs a %s", name, key)
		case !needed && c.Has(key):
			return "", fmt.Errorf("a chart of %s takes no %s", name, key)
		case needed:
			file += "-" + key + "-" + c.Get(key)
		}
	}
	if c.Has("scene") {
		if _, err := scene.ByName(c.Get("scene")); err != nil {
			return "", err
		}
	}
	drawn, caption, err := p.draw(kind, c)
	if err != nil {
		return "", err
	}
	text := drawn.Note + "\n" + caption
	if drawn.Empty() {
		return text, nil
	}
	svg, err := drawn.SVG()
	if err != nil {
		return "", fmt.Errorf("drawing the chart: %w", err)
	}
	file += ".svg"
	p.asset(file, svg, nil)
	return fmt.Sprintf("![%s](%s)\n\n%s", drawn.Alt, p.link(file), text), nil
}

// draw returns a chart and the line that says where it was measured.
func (p *page) draw(kind chartKind, c directive.Call) (chart.Chart, string, error) {
	if kind.draw == nil {
		return p.timeline()
	}
	set, err := p.measured(kind.of)
	if err != nil {
		return chart.Chart{}, "", err
	}
	drawn, err := kind.draw(set, c)
	if err != nil {
		return chart.Chart{}, "", err
	}
	caption, err := p.caption(set)
	return drawn, caption, err
}

// timeline draws the published trace. A trace does not say where it was taken; the
// name of its file does, which is that of the steps if it is of their machine.
func (p *page) timeline() (chart.Chart, string, error) {
	list, err := p.published()
	if err != nil {
		return chart.Chart{}, "", err
	}
	execution, err := list.Trace(p.root)
	if err != nil {
		return chart.Chart{}, "", err
	}
	machine := strings.TrimSuffix(list[published.Timeline], path.Ext(list[published.Timeline]))
	set, err := p.measured(results.OfSteps)
	switch {
	case errors.As(err, new(*published.MissingError)):
	case err != nil:
		return chart.Chart{}, "", err
	case strings.HasPrefix(machine, strings.TrimSuffix(list[results.OfSteps], ".txt")):
		machine = set.Hardware()
	default:
		machine = "On another machine than the steps: " + machine
	}
	return chart.Timeline(execution), "\n*" + machine + "*\n", nil
}
