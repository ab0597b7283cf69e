package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
)

// report prints what was measured.
type report struct {
	*options
	all  []*benchfmt.Result
	set  *results.Set // of them
	done int          // launches
	took time.Duration
}

func newReport(all []*benchfmt.Result, o *options) (*report, error) {
	if o.experiments == spheresExperiment { // by number
		all = slices.SortedStableFunc(slices.Values(all), func(a, b *benchfmt.Result) int {
			return cmp.Or(len(a.Name)-len(b.Name), cmp.Compare(string(a.Name), string(b.Name)))
		})
	}
	set, err := results.Of(all, "this run")
	if err != nil {
		return nil, err
	}
	set.Own = true // what was not measured is left out
	return &report{options: o, all: all, set: set}, nil
}

func (r *report) print(w io.Writer) (err error) {
	first := r.chosen[0].Name
	switch {
	case r.counts:
		var columns []string
		for _, unit := range count.Units() {
			columns = append(columns, unit+" as short")
		}
		err = r.scenes(w, ", executed for a ray", results.TableSpec{Query: results.Query{Bench: "Count"}, Rows: "step,label"}, columns...)
		fmt.Fprintf(w, "Mispredicted branches are those of valgrind's model of a predictor; the others are exact. AVX-512 is not counted.\n")
		return err
	case r.against != "":
		err = r.table(w, r.chosen[0].Title()+" against "+r.against, results.TableSpec{Query: results.Query{Builds: true}, Rows: "/scene", Cols: "build"}, "rays/s", "rays/s over build="+r.against)
		fmt.Fprintf(w, "What the copy of %s that is linked again differs by is noise: its functions are at other places.\n", r.against)
		r.printPictures(w)
	case r.experiments == spheresExperiment:
		err = r.table(w, "Scenes by number of spheres", results.TableSpec{Rows: "/spheres", Cols: "step"}, "rays/s", "rays/s over "+first)
	case r.experiments != "":
		err = r.printExperiments(w)
	case r.builds != "":
		err = r.scenes(w, "", results.TableSpec{Query: results.Query{Builds: true}, Rows: "step,label", Cols: "build"}, "rays/s", "rays/s over build="+r.wanted[0].String())
	case r.peers != "":
		err = r.scenes(w, "", results.TableSpec{Rows: "pkg"}, "sec/op", "rays/s", "rays/s over "+first, "rays/s over peer")
	default:
		err = r.scenes(w, "", results.TableSpec{Query: results.Query{Noise: true}, Rows: "step,label"}, "rays/s", "rays/s over "+first, "rays/s over before", "rays/s as place")
		r.printFindings(w)
	}
	r.printNoise(w)
	return err
}

// table prints a table, unless nothing is in it.
func (r *report) table(w io.Writer, title string, spec results.TableSpec, columns ...string) error {
	for _, text := range columns {
		c, err := results.ParseColumn(text)
		if err != nil {
			return err
		}
		spec.Columns = append(spec.Columns, c)
	}
	t, err := results.Tabulate([]*results.Set{r.set}, spec)
	if err == nil && len(t.Rows) > 0 {
		t.Header[0] = strings.Replace(t.Header[0], ".fullname", "benchmark", 1)
		fmt.Fprintf(w, "%s\n\n%s\n", title, t.Text())
	}
	return err
}

// scenes prints a table for each scene.
func (r *report) scenes(w io.Writer, title string, spec results.TableSpec, columns ...string) error {
	for _, name := range slices.Backward(scene.Names()) {
		sc, err := scene.ByName(name)
		if err != nil {
			return err
		}
		spec.Where = "/scene:" + name
		if err := r.table(w, fmt.Sprintf("%s scene, %s%s", name, english.Plural(len(sc.Spheres), "sphere", ""), title), spec, columns...); err != nil {
			return err
		}
	}
	return nil
}

// printExperiments prints a table for each benchmark of a package. Variants are
// compared with the first, of the same scene if they have scenes.
func (r *report) printExperiments(w io.Writer) error {
	type group struct{ pkg, name string }
	var groups []group
	units, base := map[group][]string{}, map[group]string{}
	for _, line := range r.all {
		name, variant, _ := strings.Cut(string(line.Name), "/")
		g := group{line.GetConfig("pkg"), name}
		if base[g] == "" {
			groups, base[g] = append(groups, g), "first of scene"
		}
		if !strings.Contains("/"+variant, "/scene=") {
			base[g] = "first"
		}
		for _, v := range line.Values {
			if v.Unit != turns.SlowSlices && !slices.Contains(units[g], v.Unit) {
				units[g] = append(units[g], v.Unit)
			}
		}
	}
	for _, g := range groups {
		var columns []string
		for _, unit := range units[g] {
			columns = append(columns, unit, unit+" over "+base[g])
		}
		name, _, _ := strings.Cut(g.name, "-")
		if err := r.table(w, g.pkg+" "+name, results.TableSpec{Query: results.Query{Packages: []string{g.pkg}, Bench: name}, Rows: ".fullname"}, columns...); err != nil {
			return err
		}
	}
	return nil
}

// narrow reports whether the working tree is known to 1 % against a revision, in
// all scenes.
func (p *plan) narrow(all []*benchfmt.Result) bool {
	r, err := newReport(all, p.options)
	return err == nil && !slices.ContainsFunc(scene.Names(), func(sc string) bool {
		e, ok := r.set.Quantity(p.chosen[0].Package(), "Render/scene="+sc, workingTree, results.Column{Unit: "rays/s", Base: "build=" + p.against})
		return !ok || e.Orders < 8 || e.HalfWidth() > 0.01
	})
}

// printPictures says whether a step still renders what it rendered in a revision.
func (r *report) printPictures(w io.Writer) {
	pictures := map[string]string{}
	for _, line := range r.all {
		scene, _, _ := strings.Cut(strings.TrimPrefix(string(line.Name), "Render/scene="), "-")
		pictures[scene+line.GetConfig(buildKey)] = line.GetConfig("picture")
	}
	for _, sc := range scene.Names() {
		if was, is := pictures[sc+r.against], pictures[sc+workingTree]; was != is {
			rays, _, _ := strings.Cut(is, "-")
			before, _, _ := strings.Cut(was, "-")
			fmt.Fprintf(w, "The picture of %s is another: of %s rays in place of %s.\n", sc, rays, before)
		}
	}
}

// countAgainst prints what a change did to the counts of a step, where valgrind is
// there. The trees are that of the revision and the working one.
func (o *options) countAgainst(ctx context.Context, env *cli.Env, trees ...string) error {
	if err := count.Available(); err != nil {
		fmt.Fprintf(env.Stdout, "Not counted: %v.\n", err)
		return nil
	}
	var counts [2][]count.Result
	for i := range counts {
		var err error
		if counts[i], err = count.Measure(ctx, env, trees[i], o.chosen, scene.Names()); err != nil {
			return err
		}
	}
	for i, sc := range scene.Names() {
		before, after := counts[0][i].PerRay, counts[1][i].PerRay
		var changes []string
		for u, unit := range count.Units() {
			if b, a := before[u], after[u]; math.Abs(a-b) > 0.001*b+0.05 {
				changes = append(changes, fmt.Sprintf("%s %s → %s (%+.1f %%)", strings.TrimSuffix(unit, "/ray"), humanize.CommafWithDigits(b, 1), humanize.CommafWithDigits(a, 1), 100*(a/b-1)))
			}
		}
		if len(changes) == 0 {
			changes = []string{"instructions " + humanize.CommafWithDigits(after[0], 1) + ", all counts as before"}
		}
		fmt.Fprintf(env.Stdout, "A ray of %s: %s\n", sc, strings.Join(changes, ", "))
	}
	return nil
}

// printFindings says in words what the tables of the steps say. A step is compared
// with the one that it goes on from, or if that was not measured, with the one before
// it in the list.
func (r *report) printFindings(w io.Writer) {
	for _, sc := range slices.Backward(scene.Names()) {
		type change struct {
			name string
			e    estimate.Estimate
		}
		var changes []change
		for i, step := range r.chosen {
			for _, base := range []string{"before", r.chosen[max(i-1, 0)].Name} {
				if e, ok := r.set.Quantity(step.Package(), "Render/scene="+sc, "", results.Column{Unit: "rays/s", Base: base}); ok {
					name := strings.TrimPrefix(step.Short()+" "+step.Label, step.Name+" ")
					changes = append(changes, change{name, e})
					break
				}
			}
		}
		slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(b.e.Center, a.e.Center) })
		lists := map[string][]string{}
		for _, c := range changes {
			list, e := "the same, within 1 %", c.e
			center, _, _ := strings.Cut(e.String(), " ")
			switch {
			case e.Lo > 1 && e.Center > 1.01:
				list, c.name = "faster", c.name+" "+center
			case e.Hi < 1 && e.Center < 0.99:
				list, c.name = "slower", c.name+" "+center
			case math.Abs(e.Center-1) > 0.01:
				list, c.name = "not decided by this run", fmt.Sprintf("%s (%.2f to %.2f)", c.name, e.Lo, e.Hi)
			}
			lists[list] = append(lists[list], c.name)
		}
		if len(changes) > 0 {
			fmt.Fprintf(w, "%s scene, each against the step before:\n", sc)
		}
		for _, list := range []string{"faster", "slower", "the same, within 1 %", "not decided by this run"} {
			if len(lists[list]) > 0 {
				fmt.Fprintf(w, "  %s: %s\n", list, strings.Join(lists[list], ", "))
			}
		}
	}
	fmt.Fprintln(w)
}

// printNoise says how long was measured and how noisy the machine was.
func (r *report) printNoise(w io.Writer) {
	each := fmt.Sprint(cycles, " turns in each")
	if r.peers != "" {
		each = "a picture of each in every one"
	}
	fmt.Fprintf(w, "Measured for %v: %s, %s.\n", r.took.Round(time.Second), english.Plural(r.done, "link order", ""), each)
	var slow []float64
	for _, line := range r.all {
		if share, ok := line.Value(turns.SlowSlices); ok {
			slow = append(slow, share)
		}
	}
	if len(slow) == 0 {
		return
	}
	share, how := turns.Median(slow), "quiet"
	switch {
	case share > 0.15:
		how = "noisy"
	case share > 0.04:
		how = "a little noisy"
	}
	fmt.Fprintf(w, "The machine was %s: one slice in ten took %.0f %% longer than usual, or more. Medians over the turns take that out.\n", how, 100*share)
}
