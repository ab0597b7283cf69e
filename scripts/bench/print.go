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
	"raysteps/scripts/internal/toolchain"
)

// over is the column of a rate over a base.
func over(base string) results.Column { return results.Column{Unit: "rays/s", Base: base} }

// rate is the column of a rate, which has no interval: rates of one evening are some
// percent apart, and only their ratios repeat.
var rate = results.Column{Unit: "rays/s"}

// print says what came out. Its error is of what was found, such as a picture that changed.
func (b *bench) print() (err error) {
	switch {
	case b.against != "":
		return b.printAgainst()
	case b.counts:
		return b.scenes(results.TableSpec{Query: results.Query{Bench: "Count"}, Rows: "step"}, counted("")...)
	case b.builds != nil && b.experiments == "":
		err = b.scenes(results.TableSpec{Query: results.Query{Builds: true}, Rows: "step", Cols: "build"}, rate, over("build="+b.builds[0][buildKey]))
	case b.experiments != "":
		err = b.printExperiments()
	default:
		spec := results.TableSpec{Query: results.Query{Noise: true, Bench: "Render"}, Rows: "step,label"}
		err = b.scenes(spec, rate, over(b.chosen()[0].Name), over("before"), results.Column{Unit: "rays/s", Form: "place"})
		b.findings()
	}
	b.sentence()
	return err
}

// table prints a table, unless nothing is in it.
func (b *bench) table(title string, spec results.TableSpec, columns ...results.Column) error {
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
func (b *bench) scenes(spec results.TableSpec, columns ...results.Column) (err error) {
	for _, name := range slices.Backward(scene.Names()) {
		spec.Where = "/scene:" + name
		err = cmp.Or(err, b.table(name+" scene", spec, columns...))
	}
	return err
}

// counted are the columns of counts, over a base or none.
func counted(base string) (columns []results.Column) {
	for _, unit := range toolchain.CountUnits()[:4] {
		columns = append(columns, results.Column{Unit: unit, Base: base})
	}
	return columns
}

// printExperiments prints a table for each unit of each benchmark of a package, unless all is
// 0, and one for each benchmark of all steps. Variants are compared with the first, of the
// same scene if they have scenes, or the same n; steps with step 12.
func (b *bench) printExperiments() error {
	printed := map[string]bool{}
	for _, line := range linesOf(b.Lines()) {
		full, pkg, base, rows := string(line.Name), line.GetConfig("pkg"), "first", ".fullname"
		name := full[:strings.IndexAny(full+"/", "/-")]
		spec := results.TableSpec{Query: results.Query{Packages: []string{pkg}, Bench: name}}
		for _, key := range []string{"scene", "n"} {
			if strings.Contains(full, "/"+key+"=") {
				base = "first of " + key
			}
		}
		if line.GetConfig("samples") != "" { // of all steps
			pkg, spec.Packages, base, rows = "steps", nil, "12", "step,.fullname"
		}
		if spec.Rows = rows; b.builds != nil {
			spec.Builds, spec.Rows, base = true, rows+",build", "build="+b.builds[0][buildKey]
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

// sentence says for how long was measured, and how noisy the machine was.
func (b *bench) sentence() {
	binaries := 1
	if len(b.versions) == 1 && b.experiments == "" { // both sides are link orders
		binaries = 2
	}
	text := fmt.Sprintf("Measured for %v in %s.", time.Since(b.start).Round(time.Second), english.Plural(b.Done*binaries, "link order", ""))
	if b.set.Taken() {
		text += " Where it says \"taken\" other programs had some of the processors; end them and measure again."
	}
	fmt.Fprintln(b.env.Stdout, cli.Wrap(text))
}

// findings says in words what the tables of the steps say.
func (b *bench) findings() {
	chosen := b.chosen()
	best, top := chosen[0], 1.
	rule, rows := estimate.Rule{Limit: 0.01, Among: len(chosen) * len(scene.Names())}, map[string][]estimate.Row{}
	for _, sc := range scene.Names() {
		name := "Render/scene=" + sc
		noise, _ := b.set.Quantity(results.Again, name, "", over(chosen[0].Name))
		for _, step := range chosen {
			e, ok := b.set.Quantity(step.Package(), name, "", over("before"))
			if !ok || b.set.TakenFrom(step.Package(), name) {
				continue
			}
			row := estimate.Row{Name: strings.TrimPrefix(step.Short()+" "+step.Label, step.Name+" "), Unit: "rays/s", Ratio: e, Noise: noise}
			rows[sc] = append(rows[sc], row)
			if rule.Of(row) == estimate.More && e.Center > top && !step.Workers && !step.Beyond {
				best, top = step, e.Center
			}
		}
	}
	for _, sc := range slices.Backward(scene.Names()) {
		heading := sc + " scene, each against the step before:\n"
		for _, f := range rule.Find(rows[sc]) {
			fmt.Fprint(b.env.Stdout, heading, cli.Wrap("  "+f.Words+": "+strings.Join(f.Names, ", ")), "\n")
			heading = ""
		}
	}
	if top > 1 {
		fmt.Fprintf(b.env.Stdout, "\n%s\n\n", cli.Wrap(fmt.Sprintf("The largest gain on one core is %s (%s), %.2f times: docs/%s.md predicts it, and shows what the processor does then.", best.Title(), best.Label, top, best.Name)))
	}
}

// printAgainst says what a change did. Another picture is an error.
func (b *bench) printAgainst() (err error) {
	var changed error
	say := func(text string) { fmt.Fprintln(b.env.Stdout, cli.Wrap(text)) }
	if b.changed != nil {
		changed = fmt.Errorf("the picture is NOT that of %s: %s scene", b.against, strings.Join(b.changed, ", "))
		say("Careful: " + changed.Error() + ". To see it: go run ./scripts/render, here and in a checkout of it.\n")
	}
	query := results.Query{Builds: true, Bench: "Render"}
	err = b.table(b.steps[0].Title()+" against "+b.against, results.TableSpec{Query: query, Rows: "/scene,build"}, rate, over("build="+b.against))
	for _, line := range b.executed() {
		say(line)
	}
	say(fmt.Sprintf("What the copy of %s that is linked again differs by is noise: its functions are at other places.", b.against))
	say(b.verdict())
	b.sentence()
	return cmp.Or(err, changed)
}

// executed says what a ray executes, and how many times that of the revision.
func (b *bench) executed() (lines []string) {
	for _, sc := range scene.Names() {
		var all []string
		for _, column := range counted("build=" + b.against) {
			of := func(base string) (estimate.Estimate, bool) {
				column.Base = base
				return b.set.Quantity(b.steps[0].Package(), "Count/scene="+sc, workingTree, column)
			}
			ratio, ok := of(column.Base)
			now, _ := of("")
			if ok {
				all = append(all, fmt.Sprintf("%s %s (%.3f)", results.Format(now.Center, column.Unit), strings.TrimSuffix(column.Unit, "/ray"), ratio.Center))
			}
		}
		if all != nil {
			lines = append(lines, fmt.Sprintf("A ray of the %s scene executes, and in brackets times that of %s: %s.", sc, b.against, strings.Join(all, ", ")))
		}
	}
	return lines
}

// verdict says in a sentence what a change did.
func (b *bench) verdict() string {
	var all []string
	step, rule, narrow := b.steps[0], estimate.Rule{Limit: 0.03, Among: len(scene.Names())}, true
	for _, sc := range scene.Names() {
		row := estimate.Row{Unit: "rays/s"}
		row.Ratio, _ = b.set.Quantity(step.Package(), "Render/scene="+sc, workingTree, over("build="+b.against))
		row.Noise, _ = b.set.Quantity(step.Package(), "Render/scene="+sc, b.again(), over("build="+b.against))
		narrow = narrow && isNarrow(row.Ratio)
		text := sc + " " + rule.Words(row)
		if rule.Of(row).Differs() {
			text += fmt.Sprintf(", %s times", row.Ratio)
		}
		all = append(all, text)
	}
	text := "So " + step.Title() + " is, against " + b.against + ": " + strings.Join(all, "; ") + "."
	if !narrow {
		text += " The time was too short for ±1 % in all scenes; -time gives it more."
	}
	return text
}

// isNarrow reports whether a scene is known to 1 %.
func isNarrow(e estimate.Estimate) bool { return e.Orders >= 8 && e.HalfWidth() <= 0.01 }

// narrow reports whether -against knows enough of a group.
func (b *bench) narrow(g *measure.Group) bool {
	set, err := results.Of(linesOf(g.Lines), "this run")
	if err != nil { // as there are no lines
		return false
	}
	e, _ := set.Quantity(b.steps[0].Package(), g.Name, workingTree, over("build="+b.against))
	return isNarrow(e)
}
