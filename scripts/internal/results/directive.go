package results

import (
	"cmp"
	"strings"

	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/steps"
)

// The keys of directives that choose benchmarks, for [QueryOf].
var QueryKeys = []string{"steps", "pkg", "bench", "where", "builds", "noise"}

// QueryOf reads what a directive chooses. Without bench it is BenchmarkRender of
// steps.
func QueryOf(c *directive.Call) Query {
	q := Query{Bench: cmp.Or(c.Get("bench"), "Render"), Where: c.Get("where"), Builds: c.Bool("builds", false), Noise: c.Bool("noise", false), Packages: c.List("pkg")}
	if c.Has("steps") {
		list, err := steps.Parse(c.Get("steps"))
		c.Fail(err)
		for _, step := range list {
			q.Packages = append(q.Packages, step.Name)
		}
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
