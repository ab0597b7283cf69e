package page

import (
	"cmp"
	"strings"

	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// QueryKeys are those of all directives that choose benchmarks.
var QueryKeys = []string{"steps", "pkg", "bench", "where", "builds", "noise"}

// query reads them. Without bench it is BenchmarkRender of steps.
func query(c *Call) results.Query {
	q := results.Query{Bench: cmp.Or(c.Get("bench"), "Render"), Where: c.Get("where"), Builds: c.Bool("builds", false), Noise: c.Bool("noise", false), Packages: c.List("pkg")}
	if c.Has("steps") {
		list, err := steps.Parse(c.Get("steps"))
		c.Fail(err)
		for _, step := range list {
			q.Packages = append(q.Packages, step.Name)
		}
	}
	return q
}

// columns reads those of a key, with commas between them.
func columns(c *Call, key string) (all []results.Column) {
	for text := range strings.SplitSeq(c.Get(key), ",") {
		column, err := results.ParseColumn(text)
		c.Fail(err)
		all = append(all, column)
	}
	return all
}

// Table reads the directive of one.
func Table(c *Call) results.TableSpec {
	spec := results.TableSpec{Query: query(c), Rows: c.Get("rows"), Cols: c.Get("cols"), Words: Words}
	spec.Columns = columns(c, "show")
	return spec
}

// Figure reads the directive of a chart.
func Figure(c *Call) results.FigureSpec {
	spec := results.FigureSpec{Query: query(c), X: c.Get("x"), Series: c.Get("series"), Y: columns(c, "y"),
		XTitle: c.Get("xtitle"), YTitle: c.Get("ytitle"), Linear: c.Bool("linear", false), Words: Words}
	switch {
	case len(spec.Y) > 1: // parts of a sum
	case spec.Series == "place":
		spec.Words = func(place string) string { return "at an " + place + " place" }
	case spec.Series == "/scene":
		spec.Words = func(scene string) string { return scene + " scene" }
	}
	return spec
}

// Number reads the directive of one.
func Number(c *Call) results.NumberSpec {
	scene := ""
	if c.Has("scene") {
		scene = "/scene=" + c.Get("scene")
	}
	spec := results.NumberSpec{Package: c.Get("of"), Bench: cmp.Or(c.Get("bench"), "Render") + scene, Column: results.Column{Unit: cmp.Or(c.Get("unit"), "rays/s"), Form: c.Get("as")}}
	switch {
	case c.Has("overbench"):
		spec.Base = c.Get("over") + " " + c.Get("overbench") + scene
	case c.Has("over"):
		spec.Base = c.Get("over") + " " + spec.Bench
	}
	return spec
}

// Words is what tables have for units, fields, bases, and values of fields.
func Words(text string) string { return cmp.Or(words[text], text) }

var words = map[string]string{
	"sec/op": "time", "sec/sphere": "time per sphere", "sec/ray": "time per ray", "sec/operation": "time per operation",
	"B/op": "heap bytes", "allocs/op": "allocations",
	"label": "what changes", "again": "the same code again: noise", "own": "yours",
	"over first": "against the first row", "over before": "over the step before", "over peer": "over the better in C++",
	"over peer native+fp-contract=off":    "over C++ with the newest instructions, and its arithmetic as written",
	"over peer x86-64-v2+fast-math":       "over C++ with the instructions of step 10, and arithmetic as it likes",
	"over peer x86-64-v2+fp-contract=off": "over C++ with the instructions of step 10, and its arithmetic as written",
	"arithmetic-cycles/sphere":            "arithmetic", "instructions-cycles/sphere": "other instructions", "waiting-cycles/sphere": "waiting",
	"arithmetic-cycles/ray": "arithmetic", "instructions-cycles/ray": "other instructions", "waiting-cycles/ray": "waiting",
	"arithmetic/sphere": "arithmetic", "front/sphere": "front end", "measured/sphere": "measured", "floors": "over the largest",
	"hit-sec/ray": "hit test", "scatter-sec/ray": "scatter", "camera-sec/ray": "camera", "pair-sec/ray": "pair", "rest-sec/ray": "rest", "whole-sec/ray": "whole",
	"called-%": "called", "gate-%": "at a gate of 2 %",
	"toy0": "Toy Path Tracer, one thread", "toy1": "Toy Path Tracer, all threads", "embree": "Embree",
}
