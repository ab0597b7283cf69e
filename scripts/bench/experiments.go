package main

import (
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
)

// printExperiments prints a table for each unit of each benchmark of a package, unless all is
// 0, and one for each benchmark of all steps.
func (b *bench) printExperiments() error {
	printed := map[string]bool{}
	for _, line := range publishedLines(b.Lines()) {
		title, spec, base := b.experiment(line)
		for _, v := range line.Values {
			if title := title + ", " + v.Unit; !printed[title] && v.Value != 0 && v.Unit != measure.Processors {
				printed[title] = true
				ratio := results.Column{Unit: v.Unit, Base: base}
				if err := b.table(title, spec, results.Column{Unit: v.Unit}, ratio); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// experiment says in which table a line stands, and what its variants are compared with: the first, of
// the same scene if they have scenes, or the same n or function; steps with step 12; builds with
// the first build.
func (b *bench) experiment(line *benchfmt.Result) (title string, spec results.Spec, base string) {
	name, pkg := string(line.Name.Base()), line.GetConfig("pkg")
	spec = results.Spec{Packages: []string{pkg}, Bench: name, Builds: b.builds != nil, Rows: ".fullname"}
	base = "first"
	for _, key := range []string{"scene", "n", "func"} {
		if strings.Contains(line.Name.String(), "/"+key+"=") {
			base = "first of " + key
		}
	}
	if line.GetConfig("samples") != "" { // of all steps
		pkg, spec.Packages, spec.Rows, base = "steps", nil, "step,.fullname", "12"
	}
	if b.builds != nil {
		spec.Rows, base = spec.Rows+",build", ratioToBuild(b.builds[0]).Base
	}
	return pkg + " " + name, spec, base
}
