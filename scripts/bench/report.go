package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
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
	counts := []string{}
	for _, unit := range count.Units() {
		counts = append(counts, unit+" as short")
	}
	switch {
	case r.counts:
		return r.scenes(w, ", executed for a ray", results.TableSpec{Query: results.Query{Bench: "Count"}, Rows: "step,label"}, counts...)
	case r.against != "":
		spec := results.TableSpec{Query: results.Query{Builds: true, Bench: "Render"}, Rows: "/scene", Cols: "build"}
		err = r.table(w, r.chosen[0].Title()+" against "+r.against, spec, "rays/s", "rays/s over build="+r.against)
		fmt.Fprintf(w, "What the copy of %s that is linked again differs by is noise: its functions are at other places.\n%s\n", r.against, r.pictures())
		if spec.Bench = "Count"; err == nil {
			err = r.table(w, "Executed for a ray", spec, counts[:4]...)
		}
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

// pictures says whether a step still renders what it rendered in a revision.
func (r *report) pictures() string {
	all := map[string]string{}
	for _, line := range r.all {
		all[line.GetConfig(buildKey)+string(line.Name)] = line.GetConfig("picture")
	}
	for key, was := range all {
		if name, ok := strings.CutPrefix(key, r.against+"Render/"); ok && all[workingTree+"Render/"+name] != was {
			return "The pictures are NOT those of " + r.against + ": " + name + " is another one."
		}
	}
	return "The pictures are the same."
}

// printFindings says in words what the tables of the steps say. A step is compared
// with the one that it goes on from, or if that was not measured, with the one before
// it in the list.
func (r *report) printFindings(w io.Writer) {
	var best, worst steps.Step
	top, bottom := 1., 1.
	for _, sc := range slices.Backward(scene.Names()) {
		lists := map[string][]string{}
		for i, step := range r.chosen {
			e, ok := r.set.Quantity(step.Package(), "Render/scene="+sc, "", results.Column{Unit: "rays/s", Base: "before"})
			if !ok {
				e, ok = r.set.Quantity(step.Package(), "Render/scene="+sc, "", results.Column{Unit: "rays/s", Base: r.chosen[max(i-1, 0)].Name})
			}
			if !ok || i == 0 {
				continue
			}
			list, name := "the same, within 1 %", strings.TrimPrefix(step.Short()+" "+step.Label, step.Name+" ")
			center, interval, _ := strings.Cut(e.String(), " ")
			switch {
			case e.Lo > 1 && e.Center > 1.01:
				list, name = "faster", name+" "+center
				if e.Center > top && !step.Beyond && !step.Workers {
					best, top = step, e.Center
				}
			case e.Hi < 1 && e.Center < 0.99:
				list, name = "slower", name+" "+center
				if e.Center < bottom && !step.Beyond {
					worst, bottom = step, e.Center
				}
			case math.Abs(e.Center-1) > 0.01:
				list, name = "not known from this run", name+" "+interval
			}
			lists[list] = append(lists[list], name)
		}
		for i, list := range []string{"faster", "slower", "the same, within 1 %", "not known from this run"} {
			if i == 0 && len(lists) > 0 {
				fmt.Fprintf(w, "%s scene, each against the step before:\n", sc)
			}
			if len(lists[list]) > 0 {
				fmt.Fprintf(w, "  %s: %s\n", list, strings.Join(lists[list], ", "))
			}
		}
	}
	fmt.Fprintln(w)
	if top > 1 {
		fmt.Fprintf(w, "The largest gain on one core is %s (%s), %.2f times: docs/%s.md predicts it, and shows what the processor does then.\n", best.Title(), best.Label, top, best.Name)
	}
	if bottom < 1 {
		fmt.Fprintf(w, "%s (%s) was meant to be faster, and is not here, %.2f times: docs/%s.md looks for the reason.\n", strings.ToUpper(worst.Title()[:1])+worst.Title()[1:], worst.Label, bottom, worst.Name)
	}
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
