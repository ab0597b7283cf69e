package main

import (
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
	"raysteps/scripts/internal/steps"
)

// comparison is what the findings are about.
type comparison struct {
	heading  string // against what
	version  *version
	relinked *version // whose difference from the base is noise; nil if the noise is a package
	base     results.Column
	limit    float64 // below which two are the same
}

// findings says in words what the tables say of steps in a version, over a base.
func (b *bench) findings(c comparison) {
	var all []estimate.Row
	rows := map[string][]estimate.Row{} // by scene
	for _, sc := range scene.Names() {
		name := "Render/scene=" + sc
		noise, _ := b.set.Quantity(results.NoisePackage, name, "", ratioTo(b.chosen[0].Name))
		if c.relinked != nil {
			noise, _ = b.set.Quantity(b.chosen[0].Package(), name, c.relinked.build(), c.base)
		}
		for _, step := range b.chosen {
			if ratio, ok := b.set.Quantity(step.Package(), name, c.version.build(), c.base); ok {
				row := estimate.Row{Name: findingName(step), Unit: c.base.Unit, Ratio: ratio, Noise: noise}
				rows[sc] = append(rows[sc], row)
			}
		}
		all = append(all, rows[sc]...)
	}
	for _, sc := range slices.Backward(scene.Names()) {
		heading := sc + " scene, " + c.heading + ":\n"
		for _, f := range estimate.NewRule(c.limit, all).Findings(rows[sc]) {
			fmt.Fprint(b.env.Stdout, heading, cli.Wrap("  "+f.Words+": "+strings.Join(f.Names, ", ")), "\n")
			heading = ""
		}
	}
}

// findingName is what a finding calls a step.
func findingName(step steps.Step) string {
	return strings.TrimPrefix(step.Short()+" "+step.Label, step.Name+" ")
}

// sentence says for how long was measured, and what disturbed it.
func (b *bench) sentence() {
	orders := b.OrderCount
	if b.against == "" && b.builds == nil && b.experiments == "" { // each process has some
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

// narrow reports whether -against knows a group to 1 %, in link orders enough for a verdict that
// goes by how they scatter.
func (b *bench) narrow(g *measure.Group) bool {
	set, err := results.NewSet(publishedLines(g.Lines), "this run")
	if err != nil { // as there are no lines
		return false
	}
	old, changed := b.versions[0], b.versions[1]
	e, _ := set.Quantity(b.steps[0].Package(), g.Name, changed.build(), ratioToBuild(old))
	return e.Orders >= estimate.SignOrders && e.HalfWidth() <= 0.01
}
