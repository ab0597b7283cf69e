package page

import (
	"cmp"
	"strings"

	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// Spec reads what a table or a chart shows. Without bench it is BenchmarkRender of steps.
func Spec(c *Call) results.Spec {
	spec := results.Spec{Packages: c.List("pkg"), Bench: cmp.Or(c.Get("bench"), "Render"), Where: c.Get("where"),
		Builds: c.Get("builds") != "", Noise: c.Get("noise") != "", Rows: c.Get("rows"), Cols: c.Get("cols")}
	if c.Get("steps") != "" {
		list, err := steps.Parse(c.Get("steps"))
		c.Fail(err)
		spec.Packages = append(spec.Packages, steps.Packages(list)...)
	}
	for _, text := range c.List("show") {
		column, err := results.ParseColumn(text)
		c.Fail(err)
		spec.Columns = append(spec.Columns, column)
	}
	return spec
}

// Figure makes what the directive of a chart shows of a machine.
func Figure(c *Call, set *results.Set) (results.Figure, error) {
	fig, err := set.Figure(Spec(c), c.Get("linear") != "")
	fig.Stacked = fig.Stacked || c.Get("bars") != ""
	fig.X.Linear = fig.X.Linear || c.Get("xlinear") != ""
	fig.X.Title, fig.Y.Title = cmp.Or(c.Get("xtitle"), fig.X.Title), c.Get("ytitle")
	return fig, err
}

// Number reads the directive of one, or of a prediction, which is of a number.
func Number(c *Call) (pkg, name string, column results.Column) {
	scene := strings.TrimSuffix("/scene="+c.Get("scene"), "/scene=")
	bench := cmp.Or(c.Get("bench"), "Render")
	column = results.Column{Unit: cmp.Or(c.Get("unit"), "rays/s"), Form: c.Get("as")}
	if c.Get("over")+c.Get("overbench") != "" {
		column.Base = c.Get("over") + " " + cmp.Or(c.Get("overbench"), bench) + scene
	}
	return c.Get("of"), bench + scene, column
}

// Machine returns the published machine that a directive is about: the first, which is the
// reference, if it names none. One that there is not has measured nothing.
func Machine(c *Call, published []*results.Set) *results.Set {
	name := c.Get("machine")
	for _, set := range published {
		if name == "" || name == set.Name {
			return set
		}
	}
	return &results.Set{Name: cmp.Or(name, results.Reference)}
}
