package results

import (
	"cmp"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/steps"
)

// register finds the step that a benchmark is of, and ranks: steps in their order, each before its
// peers; then the noise and programs that are compared with no step, such as Toy Path Tracer.
// Benchmarks of none of these stay in the order of the file, before all others.
func (b *benchmark) register() {
	registry := steps.All()
	if step, err := steps.Find(b.program()); err == nil {
		b.step, b.rank = &step, 2*slices.Index(registry, step)
	}
	switch {
	case b.isPeer() && b.step == nil:
		b.rank = 2*len(registry) + 1
	case b.isPeer():
		b.rank++
	case b.pkg == NoisePackage:
		b.rank = 2 * len(registry)
	}
}

// program is the last element of the package, which names a step or a program that is none.
func (b *benchmark) program() string { return path.Base(strings.TrimSuffix(b.pkg, "/again")) }

// isPeer reports whether it is of a program in C++.
func (b *benchmark) isPeer() bool { return strings.HasPrefix(b.pkg, peerPrefix) }

// addFields makes the fields that rows and columns can be made of: the name and the configuration of
// a line; step, label and question, from the registry, or the name of a program that is no step;
// program, which is Go or the compiler of one in C++; and the loop of a budget.
func (b *benchmark) addFields() {
	fields := map[string]string{"program": "Go"}
	if b.step != nil {
		fields["step"], fields["label"], fields["question"] = b.step.Short(), b.step.Label, b.step.Question
	}
	switch kernel := b.last().line.GetConfig("kernel"); {
	case b.isPeer():
		compiler := strings.TrimSuffix(path.Dir(strings.TrimPrefix(b.pkg, peerPrefix)), ".")
		fields["program"] = cmp.Or(compiler, "g++")
		if b.step == nil {
			fields["step"] = b.program()
		}
	case b.pkg == NoisePackage:
		fields["label"] = "again"
	case b.step != nil && kernel != "" && kernel != b.step.Kernel:
		fields["label"] += ", as " + kernel
	}
	for i := range b.launches {
		l := &b.launches[i]
		l.fields = l.line.Clone()
		l.fields.Values = nil // which the line has
		for field, text := range fields {
			l.fields.SetConfig(field, text)
		}
		if _, clocked := b.value(*l, "cycles/sphere"); clocked && b.hasBudget(*l) {
			l.fields.SetConfig("loop", b.budget.loop)
		}
	}
}

// captionForms are the parts of a caption, by the configuration of lines.
var captionForms = []string{
	"${cpu}", "${cpu-generation}", "${cpu-cores} cores", "${goos}/${goarch}", "GOAMD64=${goamd64}",
	"${goversion}", "GOEXPERIMENT=${goexperiment}",
}

// caption says in one line where and how benchmarks were measured: in how many link orders
// the least measured of them was.
func caption(list []*benchmark) string {
	var parts []string
	for _, form := range captionForms {
		var all []string
		for _, b := range list {
			text := os.Expand(form, b.last().line.GetConfig)
			if text != os.Expand(form, new(benchfmt.Result).GetConfig) {
				all = appendNew(all, text)
			}
		}
		if all != nil {
			parts = append(parts, strings.Join(all, " and "))
		}
	}
	var old []string // packages whose code has changed since
	for _, b := range list {
		if b.last().line.GetConfig("code") == "older" {
			old = appendNew(old, path.Base(b.pkg))
		}
	}
	if old != nil {
		parts = append(parts, "older code: "+english.WordSeries(old, "and"))
	}
	if list[0].last().line.GetConfig("link-order") != "" {
		parts = append(parts, english.Plural(fewestOrders(list), "link order", ""))
	}
	return strings.Join(parts, ", ")
}

// fewestOrders returns in how many link orders the least measured of benchmarks was. The noise is left
// out, which has half of them.
func fewestOrders(list []*benchmark) int {
	least := math.MaxInt
	for _, b := range list {
		if b.pkg == NoisePackage {
			continue
		}
		orders := map[int]bool{}
		for _, l := range b.launches {
			orders[l.order] = true
		}
		least = min(least, len(orders))
	}
	return least
}
