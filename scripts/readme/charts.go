package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"raysteps/scripts/internal/chart"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
)

func init() {
	register("chart kind=rates [scene=large] [from=6] [to=7]", `A chart, drawn into docs/charts. rates and speedups: the steps, a line for each
scene. roofline: the kernels of steps 10 to 12, and those of beyond that were
measured, below what one core can do at most. workers and tiles: a step with
goroutines, by their number and by the size of tiles. schedule: its efficiency
in one scene on processors that are simulated. builds: the steps in one scene by
build. orders: one step against another in one scene, a point for each link
order. spheres: rays a second by number of spheres.`, fillChart)
}

// chartKind draws a kind of chart from measurements of a kind.
type chartKind struct {
	of   results.Kind
	keys []string // that it needs besides its kind
	draw func(*results.Set, *directive.Call) (chart.Chart, error)
}

// charts are all kinds.
var charts = map[string]chartKind{
	"builds": {results.OfBuilds, []string{"scene"}, func(set *results.Set, c *directive.Call) (chart.Chart, error) {
		return chart.Builds(set, c.Get("scene"))
	}},
	"orders": {results.OfBuilds, []string{"scene", "from", "to"}, func(set *results.Set, c *directive.Call) (chart.Chart, error) {
		from, to := twoSteps(c)
		return chart.Orders(set, c.Get("scene"), from, to)
	}},
	"rates":    {results.OfSteps, nil, whole(chart.Rates)},
	"roofline": {results.OfExperiments, nil, whole(chart.Roofline)},
	"schedule": {results.OfSchedules, []string{"scene"}, func(set *results.Set, c *directive.Call) (chart.Chart, error) {
		return chart.Schedule(set, c.Get("scene"))
	}},
	"speedups": {results.OfSteps, nil, whole(chart.Speedups)},
	"spheres":  {results.OfSpheres, nil, whole(chart.Spheres)},
	"tiles":    {results.OfSweep, nil, whole(chart.Tiles)},
	"workers":  {results.OfSweep, nil, whole(chart.Workers)},
}

// whole is the draw function of a chart that shows all of a set.
func whole(draw func(*results.Set) (chart.Chart, error)) func(*results.Set, *directive.Call) (chart.Chart, error) {
	return func(set *results.Set, _ *directive.Call) (chart.Chart, error) { return draw(set) }
}

func fillChart(p *page, c *directive.Call) (string, error) {
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
	set, err := p.measured(kind.of)
	if err != nil {
		return "", err
	}
	drawn, err := kind.draw(set, c)
	if err != nil {
		return "", err
	}
	caption, err := p.caption(set)
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
	p.asset(file, svg, bytes.Equal)
	return fmt.Sprintf("![%s](%s)\n\n%s", drawn.Alt, p.link(file), text), nil
}
