package results

import (
	"errors"
	"fmt"
	"strings"

	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/steps"
)

// The keys of directives that choose benchmarks, for [QueryOf].
var QueryKeys = []string{"steps", "pkg", "bench", "where", "builds", "noise"}

// QueryOf reads what a directive chooses. Without bench it is BenchmarkRender of
// steps.
func QueryOf(c *directive.Call) Query {
	q := Query{Bench: c.Get("bench"), Where: c.Get("where"), Builds: c.Bool("builds", false), Noise: c.Bool("noise", false)}
	if c.Has("steps") {
		list, err := steps.Parse(c.Get("steps"))
		c.Fail(err)
		for _, step := range list {
			q.Packages = append(q.Packages, step.Name)
		}
	}
	if c.Has("pkg") {
		q.Packages = append(q.Packages, c.Get("pkg"))
	}
	if q.Bench == "" {
		q.Bench = "Render"
	}
	return q
}

// ColumnsOf reads the columns in a key of a directive, with commas between them.
func ColumnsOf(c *directive.Call, key string) []Column {
	var all []Column
	for text := range strings.SplitSeq(c.Get(key), ",") {
		column, err := ParseColumn(text)
		c.Fail(err)
		all = append(all, column)
	}
	return all
}

// FigureOf reads what a chart shows, from its directive. The keys are those of
// QueryKeys and x, series, y, linear and xtitle.
func FigureOf(c *directive.Call) FigureSpec {
	y := ColumnsOf(c, "y")
	if len(y) != 1 {
		c.Fail(fmt.Errorf("y is %q; want one quantity", c.Get("y")))
	}
	return FigureSpec{Query: QueryOf(c), X: c.Get("x"), Series: c.Get("series"), Y: y[0], Linear: c.Bool("linear", false), XTitle: c.Get("xtitle"), YTitle: c.Get("ytitle")}
}

// FirstOf returns what the first machine that has something makes of it. The error
// is that of the first one if none has it.
func FirstOf[T any](machines []*Set, make func(*Set) (T, error)) (T, *Set, error) {
	var zero T
	err := errors.New("no measurements: want a file of a machine in " + Folder)
	for i, set := range machines {
		value, err2 := make(set)
		if err2 == nil {
			return value, set, nil
		}
		if !errors.As(err2, new(*NotMeasuredError)) {
			return zero, nil, err2
		}
		if i == 0 {
			err = err2
		}
	}
	return zero, nil, err
}
