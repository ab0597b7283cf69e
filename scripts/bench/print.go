package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"raysteps/common/scene"
	"raysteps/scripts/internal/results"
)

// ratioTo is the column of a rate over a base.
func ratioTo(base string) results.Column { return results.Column{Unit: "rays/s", Base: base} }

// ratioToBuild is the column of a rate over that of a version.
func ratioToBuild(v *version) results.Column { return ratioTo("build=" + v.build()) }

// rate is the column of a rate, which has no interval: rates of one evening are some
// percent apart, and only their ratios repeat.
var rate = results.Column{Unit: "rays/s"}

// countColumns are those of what a ray executes.
var countColumns = []results.Column{
	{Unit: "instructions/ray"}, {Unit: "loads/ray"}, {Unit: "stores/ray"}, {Unit: "branches/ray"},
}

// print says what came out. Its error is of what was found, such as a picture that changed.
func (b *bench) print() (err error) {
	switch {
	case b.counts:
		spec := results.Spec{Bench: "Count", Rows: "step"}
		if b.builds != nil {
			spec.Builds, spec.Cols = true, "build"
		}
		return b.scenes(spec, countColumns...)
	case b.experiments != "":
		err = b.printExperiments()
	case b.builds != nil:
		spec := results.Spec{Builds: true, Bench: "Render", Rows: "step", Cols: "build"}
		err = b.scenes(spec, rate, ratioToBuild(b.builds[0]))
	case b.against != "":
		err = b.printAgainst()
	default:
		err = b.printSteps()
	}
	b.sentence()
	return cmp.Or(err, b.changed)
}

// printSteps prints the steps, and what they are against the steps before.
func (b *bench) printSteps() error {
	spec := results.Spec{Noise: true, Bench: "Render", Rows: "step,label"}
	place := results.Column{Unit: "rays/s", Form: "place"}
	if b.steps == nil { // as the pages have it: what all of a launch have in common does not scatter
		place.Base = "12"
	}
	before := ratioTo("before")
	err := b.scenes(spec, rate, ratioTo(b.chosen[0].Name), before, place)
	b.findings(comparison{"each against the step before", &version{}, nil, before, 0.01})
	return err
}

// printAgainst prints a step in two versions, their counts, and what was found.
func (b *bench) printAgainst() error {
	old, changed, relinked := b.versions[0], b.versions[1], b.versions[2]
	base, title := ratioToBuild(old), b.steps[0].Title()
	fewer := results.Column{Unit: "instructions/ray", Base: base.Base, Form: "short"}
	spec := results.Spec{Builds: true, Bench: "Render", Rows: "/scene,build"}
	err := b.table(title+", speed", spec, rate, base)
	spec.Bench = "Count"
	err = cmp.Or(err, b.table(title+", counts", spec, append(slices.Clip(countColumns), fewer)...))
	if b.uncounted != nil {
		fmt.Fprintf(b.env.Stdout, "Not counted: %v.\n\n", b.uncounted)
	}
	b.findings(comparison{"against " + b.against, changed, relinked, base, 0.03})
	return err
}

// table prints a table, unless nothing is in it.
func (b *bench) table(title string, spec results.Spec, columns ...results.Column) error {
	spec.Columns = columns
	t, err := b.set.Table(spec)
	if errors.Is(err, results.ErrNotMeasured) {
		return nil
	}
	if err == nil {
		fmt.Fprintf(b.env.Stdout, "%s\n\n%s\n", title, t.Text())
	}
	return err
}

// scenes prints a table for each scene.
func (b *bench) scenes(spec results.Spec, columns ...results.Column) (err error) {
	for _, name := range slices.Backward(scene.Names()) {
		spec.Where = "/scene:" + name
		err = cmp.Or(err, b.table(name+" scene", spec, columns...))
	}
	return err
}
