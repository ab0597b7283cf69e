package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
)

// over is the column of a rate over a base.
func over(base string) results.Column { return results.Column{Unit: "rays/s", Base: base} }

// rate is the column of a rate, which has no interval: rates of one evening are some
// percent apart, and only their ratios repeat.
var rate = results.Column{Unit: "rays/s"}

// counted are the columns of what a ray executes.
var counted = []results.Column{
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
		return b.scenes(spec, counted...)
	case b.experiments != "":
		err = b.printExperiments()
	case b.builds != nil:
		err = b.scenes(results.Spec{Builds: true, Bench: "Render", Rows: "step", Cols: "build"}, rate, over("build="+b.builds[0].config[buildKey]))
	case b.against != "":
		base, title := over("build="+b.against), b.steps[0].Title()
		fewer := results.Column{Unit: "instructions/ray", Base: base.Base, Form: "short"}
		err = cmp.Or(
			b.table(title+", speed", results.Spec{Builds: true, Bench: "Render", Rows: "/scene,build"}, rate, base),
			b.table(title+", counts", results.Spec{Builds: true, Bench: "Count", Rows: "/scene,build"}, append(counted, fewer)...))
		if b.uncounted != nil {
			fmt.Fprintf(b.env.Stdout, "Not counted: %v.\n\n", b.uncounted)
		}
		b.findings("against "+b.against, workingTree, base, 0.03)
	default:
		spec := results.Spec{Noise: true, Bench: "Render", Rows: "step,label"}
		place := results.Column{Unit: "rays/s", Form: "place"}
		if b.steps == nil { // as the pages have it: what all of a launch have in common does not scatter
			place.Base = "12"
		}
		err = b.scenes(spec, rate, over(b.chosen()[0].Name), over("before"), place)
		b.findings("each against the step before", "", over("before"), 0.01)
	}
	b.sentence()
	return cmp.Or(err, b.changed)
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

// printExperiments prints a table for each unit of each benchmark of a package, unless all is
// 0, and one for each benchmark of all steps. Variants are compared with the first, of the
// same scene if they have scenes, or the same n or function; steps with step 12.
func (b *bench) printExperiments() error {
	printed := map[string]bool{}
	for _, line := range linesOf(b.Lines()) {
		name, pkg, base, rows := string(line.Name.Base()), line.GetConfig("pkg"), "first", ".fullname"
		spec := results.Spec{Packages: []string{pkg}, Bench: name, Builds: b.builds != nil}
		for _, key := range []string{"scene", "n", "func"} {
			if strings.Contains(line.Name.String(), "/"+key+"=") {
				base = "first of " + key
			}
		}
		if line.GetConfig("samples") != "" { // of all steps
			pkg, spec.Packages, base, rows = "steps", nil, "12", "step,.fullname"
		}
		if spec.Rows = rows; b.builds != nil {
			spec.Rows, base = rows+",build", "build="+b.builds[0].config[buildKey]
		}
		for _, v := range line.Values {
			title := pkg + " " + name + ", " + v.Unit
			if printed[title] || v.Value == 0 || v.Unit == measure.Processors {
				continue
			}
			printed[title] = true
			if err := b.table(title, spec, results.Column{Unit: v.Unit}, results.Column{Unit: v.Unit, Base: base}); err != nil {
				return err
			}
		}
	}
	return nil
}

// findings says in words what the tables say of steps in a build, over a base.
func (b *bench) findings(against, build string, base results.Column, limit float64) {
	chosen, all, rows := b.chosen(), []estimate.Row(nil), map[string][]estimate.Row{} // by scene
	for _, sc := range scene.Names() {
		name := "Render/scene=" + sc
		noise, _ := b.set.Quantity(results.NoisePackage, name, "", over(chosen[0].Name))
		if build != "" {
			noise, _ = b.set.Quantity(chosen[0].Package(), name, b.against+again, base)
		}
		for _, step := range chosen {
			if e, ok := b.set.Quantity(step.Package(), name, build, base); ok {
				title := strings.TrimPrefix(step.Short()+" "+step.Label, step.Name+" ")
				rows[sc] = append(rows[sc], estimate.Row{Name: title, Unit: base.Unit, Ratio: e, Noise: noise})
			}
		}
		all = append(all, rows[sc]...)
	}
	for _, sc := range slices.Backward(scene.Names()) {
		heading := sc + " scene, " + against + ":\n"
		for _, f := range estimate.NewRule(limit, all).Findings(rows[sc]) {
			fmt.Fprint(b.env.Stdout, heading, cli.Wrap("  "+f.Words+": "+strings.Join(f.Names, ", ")), "\n")
			heading = ""
		}
	}
}

// sentence says for how long was measured, and what disturbed it.
func (b *bench) sentence() {
	orders := b.Done
	if b.against == "" && b.builds == nil && b.experiments == "" { // both sides are some
		orders *= 2
	}
	text := fmt.Sprintf("Measured for %v in %s.", time.Since(b.start).Round(time.Second), english.Plural(orders, "link order", ""))
	if orders < estimate.MinOrders {
		text += " Of so few there are no intervals: want a longer -time."
	}
	if b.set.Disturbed {
		text += " Launches in which other programs had some of the processors do not count: end those and measure again."
	}
	fmt.Fprintln(b.env.Stdout, cli.Wrap(text))
}

// narrow reports whether -against knows a group to 1 %.
func (b *bench) narrow(g *measure.Group) bool {
	set, err := results.NewSet(linesOf(g.Lines), "this run")
	if err != nil { // as there are no lines
		return false
	}
	e, _ := set.Quantity(b.steps[0].Package(), g.Name, workingTree, over("build="+b.against))
	return e.Orders >= 8 && e.HalfWidth() <= 0.01
}
