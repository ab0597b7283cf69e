package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// report prints what was measured.
type report struct {
	o     *options
	p     *plan
	all   []*benchfmt.Result
	byKey map[key][]estimate.Launch
	keys  []key // in the order of the file
	took  time.Duration
}

// key says what a figure is of.
type key struct{ pkg, name, build, unit string }

func (k key) with(pkg, build string) key { k.pkg, k.build = pkg, build; return k }

func newReport(all []*benchfmt.Result, o *options, p *plan) *report {
	r := &report{o: o, p: p, all: all, byKey: map[key][]estimate.Launch{}}
	for _, result := range all {
		order, _ := strconv.Atoi(result.GetConfig("link-order"))
		var odd []bool
		for _, place := range strings.Fields(result.GetConfig("place")) {
			odd = append(odd, place == "odd")
		}
		for _, v := range result.Values {
			k := key{result.GetConfig("pkg"), benchmarkNameOf(result.Name), result.GetConfig(buildKey), v.Unit}
			if _, ok := r.byKey[k]; !ok {
				r.keys = append(r.keys, k)
			}
			r.byKey[k] = append(r.byKey[k], estimate.Launch{Order: order, Log: math.Log(v.Value), Odd: odd})
		}
	}
	return r
}

func (r *report) ratio(of, over key) (estimate.Estimate, bool) {
	if of == over || len(r.byKey[of]) == 0 || len(r.byKey[over]) == 0 {
		return estimate.Estimate{}, false
	}
	e := estimate.Ratio(r.byKey[of], r.byKey[over])
	return e, e.Orders > 0
}

// narrow reports whether the working tree is known to 1 % against a revision, in
// all scenes.
func (r *report) narrow() bool {
	for _, sc := range scene.Names() {
		e, ok := r.against(sc, workingTree)
		if !ok || e.Orders < 8 || e.HalfWidth() > 0.01 {
			return false
		}
	}
	return true
}

func (r *report) against(sc, build string) (estimate.Estimate, bool) {
	k := key{r.o.chosen[0].Package(), "Render/scene=" + sc, build, "rays/s"}
	return r.ratio(k, k.with(k.pkg, r.o.against))
}

func (r *report) print(w io.Writer) {
	switch {
	case r.o.against != "":
		r.printAgainst(w)
	case r.o.experiments != "", r.o.builds != "", r.o.peers != "":
		r.printAll(w)
	default:
		for _, sc := range slices.Backward(scene.Names()) {
			r.printSteps(w, sc)
		}
		r.printFindings(w)
	}
	r.printNoise(w)
}

// table prints rows in columns, of which those but the first two are aligned to the
// right by the cells' own width.
func table(w io.Writer, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, " "+strings.Join(row, "\t"))
	}
	t.Flush()
	fmt.Fprintln(w)
}

func (r *report) printSteps(w io.Writer, sc string) {
	first := r.o.chosen[0]
	base := key{first.Package(), "Render/scene=" + sc, "", "rays/s"}
	rows := [][]string{{"step", "what changes", "rays/s", "over " + first.Title(), "over the step before", "place"}}
	row := func(short, label string, k, before key, compareBefore bool) {
		if len(r.byKey[k]) == 0 {
			return
		}
		cells := []string{short, label, formatRate(estimate.Of(withoutPlaces(r.byKey[k]))), "", "", ""}
		if e, ok := r.ratio(k, base); ok {
			cells[3] = estimate.FormatRatio(e)
		}
		if e, ok := r.ratio(k, before); ok && compareBefore {
			cells[4] = estimate.FormatRatio(e)
		}
		if worth := r.place(k); worth >= 0.01 {
			cells[5] = fmt.Sprintf("%.0f %%", 100*worth)
		}
		rows = append(rows, cells)
	}
	for _, step := range r.o.chosen {
		before, ok := r.before(step)
		row(step.Short(), step.Label, base.with(step.Package(), ""), base.with(before.Package(), ""), ok)
	}
	if len(rows) == 1 {
		return // this scene was not measured
	}
	row("1", "the same code at another place: noise", base.with(results.Again, ""), base, false)
	n := len(r.scene(sc).Spheres)
	fmt.Fprintf(w, "%s scene, %s\n\n", sc, plural(n, "sphere"))
	table(w, rows)
}

// before returns the step that a step is compared with: the one that it goes on
// from if that was chosen, or else the one before it in the list.
func (r *report) before(step steps.Step) (steps.Step, bool) {
	same := func(s steps.Step) func(steps.Step) bool {
		return func(other steps.Step) bool { return other.Name == s.Name }
	}
	if before, ok := step.Previous(); ok && slices.ContainsFunc(r.o.chosen, same(before)) {
		return before, true
	}
	i := slices.IndexFunc(r.o.chosen, same(step))
	if i < 1 {
		return steps.Step{}, false
	}
	return r.o.chosen[i-1], true
}

func (r *report) scene(name string) *scene.Scene {
	sc, err := scene.ByName(name)
	if err != nil {
		panic(err) // the names come from the package
	}
	return sc
}

func withoutPlaces(launches []estimate.Launch) []estimate.Launch {
	launches = slices.Clone(launches)
	for i := range launches {
		launches[i].Odd = nil
	}
	return launches
}

// place returns what the place of its code is worth to a step: by what share it is
// faster at the best than at the worst, against all others of its scene.
func (r *report) place(k key) float64 {
	sums, counts := map[int]float64{}, map[int]float64{}
	for _, other := range r.keys {
		if other.name == k.name && other.unit == k.unit && len(r.byKey[other]) == r.p.done {
			for _, l := range r.byKey[other] {
				sums[l.Order] += l.Log
				counts[l.Order]++
			}
		}
	}
	var launches []estimate.Launch
	for _, l := range r.byKey[k] {
		launches = append(launches, estimate.Launch{Order: l.Order, Log: l.Log - sums[l.Order]/counts[l.Order], Odd: l.Odd})
	}
	return estimate.Of(launches).Place
}

// formatRate writes a rate with a prefix.
func formatRate(e estimate.Estimate) string {
	for _, prefix := range []struct {
		factor float64
		name   string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if e.Center >= prefix.factor {
			return e.Scale(prefix.factor, prefix.name)
		}
	}
	return e.String()
}

// formatFigure writes a figure of any unit.
func formatFigure(e estimate.Estimate) string {
	if e.Center > 0 && e.Center < 1 {
		for _, prefix := range []struct {
			factor float64
			name   string
		}{{1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}} {
			if e.Center >= prefix.factor {
				return e.Scale(prefix.factor, prefix.name)
			}
		}
	}
	return formatRate(e)
}

func (r *report) printAgainst(w io.Writer) {
	step := r.o.chosen[0]
	rows := [][]string{{"scene", r.o.against, workingTree, "speed over " + r.o.against, "noise", "picture"}}
	wide := false
	for _, sc := range scene.Names() {
		k := key{step.Package(), "Render/scene=" + sc, workingTree, "rays/s"}
		e, ok := r.against(sc, workingTree)
		if !ok {
			continue
		}
		noise, _ := r.against(sc, r.o.against+againSuffix)
		wide = wide || e.HalfWidth() > 0.01
		rows = append(rows, []string{sc,
			formatRate(estimate.Of(withoutPlaces(r.byKey[k.with(k.pkg, r.o.against)]))), formatRate(estimate.Of(withoutPlaces(r.byKey[k]))),
			estimate.FormatRatio(e), estimate.FormatRatio(noise), r.picture(sc)})
	}
	fmt.Fprintf(w, "%s against %s\n\n", step.Title(), r.o.against)
	table(w, rows)
	fmt.Fprintf(w, "Noise is %s linked a second time, with its functions at other places.\n", r.o.against)
	if wide {
		fmt.Fprintf(w, "In %v this did not come to 1 %% everywhere; -time 3m takes longer.\n", r.took.Round(time.Second))
	}
}

// picture says whether a step still renders what it rendered in a revision.
func (r *report) picture(sc string) string {
	var now, before string
	for _, result := range r.all {
		if benchmarkNameOf(result.Name) != "Render/scene="+sc {
			continue
		}
		if result.GetConfig(buildKey) == workingTree {
			now = result.GetConfig("picture")
		} else {
			before = result.GetConfig("picture")
		}
	}
	if now == before {
		return "the same"
	}
	rays, _, _ := strings.Cut(now, "-")
	was, _, _ := strings.Cut(before, "-")
	return fmt.Sprintf("another, of %s rays in place of %s", rays, was)
}

// printAll prints every figure, and how it compares with the first of its benchmark
// and scene.
func (r *report) printAll(w io.Writer) {
	rows := [][]string{{"package", "benchmark", "figure", "unit", "over the first"}}
	first := map[key]key{}
	for _, k := range r.keys {
		if k.unit == slowSlices {
			continue
		}
		group := key{pkg: k.pkg, name: groupOf(k.name), unit: k.unit}
		if r.o.builds != "" {
			group.name = k.name
		}
		if r.o.peers != "" {
			group.pkg, group.name = "", k.name
		}
		if _, ok := first[group]; !ok {
			first[group] = k
		}
		over := ""
		if e, ok := r.ratio(k, first[group]); ok {
			over = estimate.FormatRatio(e)
		}
		name := k.name
		if k.build != "" {
			name += ", " + k.build
		}
		rows = append(rows, []string{k.pkg, name, formatFigure(estimate.Of(withoutPlaces(r.byKey[k]))), k.unit, over})
	}
	table(w, rows)
}

// groupOf returns what variants share that are compared: the benchmark and its
// scene.
func groupOf(name string) string {
	parts := strings.SplitN(name, "/", 3)
	if len(parts) > 1 && strings.HasPrefix(parts[1], "scene=") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// printFindings says in words what the tables of the steps say.
func (r *report) printFindings(w io.Writer) {
	for _, sc := range slices.Backward(scene.Names()) {
		type change struct {
			step steps.Step
			e    estimate.Estimate
		}
		var changes []change
		for _, step := range r.o.chosen {
			before, ok := r.before(step)
			k := key{step.Package(), "Render/scene=" + sc, "", "rays/s"}
			if e, compared := r.ratio(k, k.with(before.Package(), "")); ok && compared {
				changes = append(changes, change{step, e})
			}
		}
		slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(b.e.Center, a.e.Center) })
		lists := map[string][]string{}
		for _, c := range changes {
			list := "the same, within 1 %"
			name := c.step.Label
			if c.step.Number > 0 {
				name = c.step.Short() + " " + name
			}
			switch {
			case c.e.Lo > 1 && c.e.Center > 1.01:
				list = "faster"
				name += " " + short(c.e)
			case c.e.Hi < 1 && c.e.Center < 0.99:
				list = "slower"
				name += " " + short(c.e)
			case math.Abs(c.e.Center-1) > 0.01:
				list = "not decided by this run"
				name += fmt.Sprintf(" (%.2f to %.2f)", c.e.Lo, c.e.Hi)
			}
			lists[list] = append(lists[list], name)
		}
		if len(changes) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s scene, each against the step before:\n", sc)
		for _, list := range []string{"faster", "slower", "the same, within 1 %", "not decided by this run"} {
			if len(lists[list]) > 0 {
				fmt.Fprintf(w, "  %s: %s\n", list, strings.Join(lists[list], ", "))
			}
		}
	}
	fmt.Fprintln(w)
}

// short writes the center alone.
func short(e estimate.Estimate) string {
	text, _, _ := strings.Cut(e.String(), " ")
	return text
}

// slowSlices is the unit of what the launcher says of the machine.
const slowSlices = "slow-slices"

// printNoise says how long was measured and how noisy the machine was.
func (r *report) printNoise(w io.Writer) {
	fmt.Fprintf(w, "Measured for %v: %s", r.took.Round(time.Second), plural(r.p.done, "link order"))
	if r.p.peers != nil {
		fmt.Fprintln(w, ", a picture of each in every one.")
		return
	}
	fmt.Fprintf(w, ", %d turns in each.\n", cycles)
	var slow []float64
	for k, launches := range r.byKey {
		if k.unit == slowSlices {
			for _, l := range launches {
				slow = append(slow, math.Exp(l.Log))
			}
		}
	}
	if len(slow) == 0 {
		return
	}
	share := turns.Median(slow)
	how := "quiet"
	switch {
	case share > 0.15:
		how = "noisy"
	case share > 0.04:
		how = "a little noisy"
	}
	fmt.Fprintf(w, "The machine was %s: one slice in ten took %.0f %% longer than usual, or more. Medians over the turns take that out.\n", how, 100*share)
}
