package page

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// SpecKeys are those of all directives that choose benchmarks, NumberKeys those that choose
// a figure beside of.
var (
	SpecKeys   = []string{"rows", "cols", "steps", "pkg", "bench", "where", "builds=yes", "noise=yes", "machine", "own=instead"}
	NumberKeys = []string{"bench", "scene", "unit", "over", "overbench", "as=place", "machine"}
)

// Spec reads what a table or a chart shows. Without bench it is BenchmarkRender of steps.
func Spec(c *Call) results.Spec {
	spec := results.Spec{Packages: c.List("pkg"), Bench: cmp.Or(c.Get("bench"), "Render"), Where: c.Get("where"),
		Builds: c.Get("builds") != "", Noise: c.Get("noise") != "", Rows: c.Get("rows"), Cols: c.Get("cols")}
	if c.Get("steps") != "" {
		list, err := steps.Parse(c.Get("steps"))
		c.Fail(err)
		for _, step := range list {
			spec.Packages = append(spec.Packages, step.Name)
		}
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
	fig.X.Title, fig.Y.Title = cmp.Or(c.Get("xtitle"), fig.X.Title), c.Get("ytitle")
	return fig, err
}

// Number reads the directive of one.
func Number(c *Call) results.NumberSpec {
	scene := ""
	if c.Get("scene") != "" {
		scene = "/scene=" + c.Get("scene")
	}
	bench := cmp.Or(c.Get("bench"), "Render")
	spec := results.NumberSpec{Package: c.Get("of"), Bench: bench + scene, Column: results.Column{Unit: cmp.Or(c.Get("unit"), "rays/s"), Form: c.Get("as")}}
	if c.Get("over")+c.Get("overbench") != "" {
		spec.Base = c.Get("over") + " " + cmp.Or(c.Get("overbench"), bench) + scene
	}
	return spec
}

// Machine returns the published machine that a directive is about: the reference, if it
// names none.
func Machine(c *Call, published []*results.Set) (*results.Set, error) {
	for _, set := range published {
		if name := c.Get("machine"); name == "" || name == set.Name {
			return set, nil
		}
	}
	return nil, fmt.Errorf("no measurements: want a file %s in %s", cmp.Or(c.Get("machine"), results.Reference)+".txt", results.Folder)
}

// Prediction asks for a ratio before a page shows it.
type Prediction struct {
	Question string
	Ours     string // our own answer
	Number   results.NumberSpec
}

// Predict reads the directive of one. The question is one of rates, in a scene, unless the
// directive has other words.
func Predict(c *Call) Prediction {
	p := Prediction{Question: c.Get("ask"), Ours: c.Get("ours"), Number: Number(c)}
	of, err := steps.Find(c.Get("of"))
	over, err2 := steps.Find(c.Get("over"))
	switch x, notNumber := strconv.ParseFloat(p.Ours, 64); {
	case notNumber != nil || !(x > 0):
		c.Fail(fmt.Errorf("ours is %q; want a number above 0", p.Ours))
	case p.Question == "" && (err != nil || err2 != nil || c.Get("scene") == "" || c.Get("bench") != ""):
		c.Fail(errors.New("ask is missing; want the words of a question that is not of=STEP over=STEP scene=SCENE"))
	case p.Question == "":
		p.Question = fmt.Sprintf("How many times as fast as %s is %s in the %s scene?", over.Title(), of.Title(), c.Get("scene"))
	}
	return p
}

// Missed returns by how many times our answer is too large or too small, at least 1, and in
// percent of our answer how much the measured ratio differs from it.
func (p Prediction) Missed(measured string) (times float64, text string) {
	ours, _ := strconv.ParseFloat(p.Ours, 64)
	x, _ := strconv.ParseFloat(measured, 64)
	text = fmt.Sprintf("%+.0f %%", 100*(x/ours-1))
	if text == "+0 %" || text == "-0 %" {
		text = "0 %"
	}
	return max(x/ours, ours/x), strings.Replace(text, "-", "−", 1)
}
