package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize/english"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/toolchain"
)

// over is the column of a rate over a base, or of the rate.
func over(base string) results.Column { return results.Column{Unit: "rays/s", Base: base} }

// rate is the column of a rate, which has no interval: rates of one evening are some
// percent apart, and only their ratios repeat.
var rate = results.Column{Unit: "rays/s", Form: "short"}

// table prints a table, unless nothing is in it.
func (m *measurement) table(title string, spec results.TableSpec, columns ...results.Column) error {
	spec.Columns, spec.Words = columns, page.Words
	t, err := results.Tabulate([]*results.Set{m.set}, spec)
	if err == nil && len(t.Rows) > 0 {
		fmt.Fprintf(m.env.Stdout, "%s\n\n%s\n", title, t.Text())
	}
	return err
}

// scenes prints a table for each scene.
func (m *measurement) scenes(spec results.TableSpec, columns ...results.Column) error {
	for _, name := range slices.Backward(scene.Names()) {
		spec.Where = "/scene:" + name
		if err := m.table(name+" scene", spec, columns...); err != nil {
			return err
		}
	}
	return nil
}

// sentence says for how long was measured, and how noisy the machine was.
func (m *measurement) sentence() {
	text := fmt.Sprintf("Measured for %v in %s.", time.Since(m.start).Round(time.Second), english.Plural(m.Done*max(1, m.binaries), "link order", ""))
	if share := estimate.Median(m.Slow); share > 0.04 {
		text += fmt.Sprintf(" The machine was noisy: one slice in ten took %.0f %% longer than usual, or more.", 100*share)
	}
	if m.set.Taken() {
		text += " Where it says \"taken\" other programs had some of the processors; end them and measure again."
	}
	fmt.Fprintln(m.env.Stdout, cli.Wrap(text))
}

func (k *renders) print(m *measurement) (err error) {
	defer m.sentence()
	base := over(k.chosen[0].Name)
	err = m.scenes(results.TableSpec{Query: results.Query{Noise: true, Bench: "Render"}, Rows: "step,label"}, rate, base, over("before"), results.Column{Unit: "rays/s", Form: "place"})
	k.findings(m)
	return err
}

func (builds) print(m *measurement) error {
	defer m.sentence()
	return m.scenes(results.TableSpec{Query: results.Query{Builds: true}, Rows: "step", Cols: "build"}, rate, over("build="+m.builds[0].String()))
}

func (pictures) print(m *measurement) error {
	defer m.sentence()
	return m.scenes(results.TableSpec{Rows: "step", Cols: ".name"}, rate, over("1"))
}

func (spheres) print(m *measurement) (err error) {
	defer m.sentence()
	for _, key := range []string{"sphereflake", "cloud"} {
		err = cmp.Or(err, m.table(key, results.TableSpec{Query: results.Query{Bench: "Render"}, Rows: "/" + key, Cols: "step"}, rate, over("12")))
	}
	return err
}

// findings says in words what the tables of the steps say.
func (k *renders) findings(m *measurement) {
	best, top := k.chosen[0], 1.
	rule, rows := estimate.Rule{Limit: 0.01, Among: len(k.chosen) * len(scene.Names())}, map[string][]estimate.Row{}
	for _, sc := range scene.Names() {
		noise, _ := m.set.Quantity(results.Again, "Render/scene="+sc, "", over(k.chosen[0].Name))
		for _, step := range k.chosen {
			e, ok := m.set.Quantity(step.Package(), "Render/scene="+sc, "", over("before"))
			if !ok || m.set.TakenFrom(step.Package(), "Render/scene="+sc) {
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
			fmt.Fprint(m.env.Stdout, heading, cli.Wrap("  "+f.Words+": "+strings.Join(f.Names, ", ")), "\n")
			heading = ""
		}
	}
	if top > 1 {
		fmt.Fprintf(m.env.Stdout, "\n%s\n\n", cli.Wrap(fmt.Sprintf("The largest gain on one core is %s (%s), %.2f times: docs/%s.md predicts it, and shows what the processor does then.", best.Title(), best.Label, top, best.Name)))
	}
}

func (counts) print(m *measurement) error {
	var columns []results.Column
	for _, unit := range toolchain.CountUnits()[:4] {
		columns = append(columns, results.Column{Unit: unit, Form: "short"})
	}
	return m.scenes(results.TableSpec{Query: results.Query{Bench: "Count"}, Rows: "step"}, columns...)
}

func (k *against) print(m *measurement) error {
	if k.changed != nil {
		fmt.Fprintf(m.env.Stdout, "%s\n\n", cli.Wrap("Careful: "+k.changed.Error()+"."))
	}
	spec := results.TableSpec{Query: results.Query{Builds: true, Bench: "Render"}, Rows: "/scene,build"}
	err := m.table(k.step.Title()+" against "+k.revision, spec, rate, over("build="+k.revision))
	k.printCounts(m)
	fmt.Fprintf(m.env.Stdout, "%s\n", cli.Wrap(fmt.Sprintf("What the copy of %s that is linked again differs by is noise: its functions are at other places.", k.revision)))
	fmt.Fprintf(m.env.Stdout, "%s\n", cli.Wrap(k.verdict(m)))
	m.sentence()
	return cmp.Or(err, k.changed)
}

// printCounts prints what a ray executes, and times that of the revision.
func (k *against) printCounts(m *measurement) {
	t := tabwriter.NewWriter(m.env.Stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	for i, sc := range scene.Names() {
		row, heading := sc, "a ray of"
		for _, unit := range toolchain.CountUnits()[:4] {
			name := "Count/scene=" + sc
			now, counted := m.set.Quantity(k.step.Package(), name, workingTree, results.Column{Unit: unit})
			ratio, _ := m.set.Quantity(k.step.Package(), name, workingTree, results.Column{Unit: unit, Base: "build=" + k.revision})
			if !counted {
				return
			}
			heading += "\t" + strings.TrimSuffix(unit, "/ray")
			row += fmt.Sprintf("\t%s (%.3f)", results.Format(now.Center, unit), ratio.Center)
		}
		if i == 0 {
			fmt.Fprintf(m.env.Stdout, "Executed for a ray, and in brackets times that of %s\n\n", k.revision)
			fmt.Fprintln(t, heading+"\t")
		}
		fmt.Fprintln(t, row+"\t")
	}
	t.Flush()
	fmt.Fprintln(m.env.Stdout)
}

// verdict says in a sentence what a change did.
func (k *against) verdict(m *measurement) string {
	var all []string
	rule := estimate.Rule{Limit: 0.03, Among: len(scene.Names())}
	for _, sc := range scene.Names() {
		row := estimate.Row{Unit: "rays/s"}
		row.Ratio, _ = m.set.Quantity(k.step.Package(), "Render/scene="+sc, workingTree, over("build="+k.revision))
		row.Noise, _ = m.set.Quantity(k.step.Package(), "Render/scene="+sc, k.revision+", linked again", over("build="+k.revision))
		text := sc + " " + rule.Words(row)
		if rule.Of(row).Differs() {
			text += fmt.Sprintf(", %s times", row.Ratio)
		}
		all = append(all, text)
	}
	text := "So " + k.step.Title() + " is, against " + k.revision + ": " + strings.Join(all, "; ") + "."
	if slices.ContainsFunc(m.Units[0].Groups, func(g *measure.Group) bool { return !k.narrow(g) }) {
		text += " The time was too short for ±1 % in all scenes; -time gives it more."
	}
	return text
}

// print prints a table for each unit of each benchmark of a package, unless all is 0.
// Variants are compared with the first, of the same scene if they have scenes, or the
// same n.
func (experiments) print(m *measurement) error {
	printed := map[string]bool{}
	for _, line := range m.Lines() {
		full, pkg, base := string(line.Name), line.GetConfig("pkg"), "first"
		name := full[:strings.IndexAny(full+"/", "/-")]
		for _, key := range []string{"scene", "n"} {
			if strings.Contains(full, "/"+key+"=") {
				base = "first of " + key
			}
		}
		for _, v := range line.Values {
			title := pkg + " " + name + ", " + v.Unit
			if printed[title] || v.Value == 0 {
				continue
			}
			printed[title] = true
			spec := results.TableSpec{Query: results.Query{Packages: []string{pkg}, Bench: name}, Rows: ".fullname"}
			if err := m.table(title, spec, results.Column{Unit: v.Unit}, results.Column{Unit: v.Unit, Base: base}); err != nil {
				return err
			}
		}
	}
	m.sentence()
	return nil
}
