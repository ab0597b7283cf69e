package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/machine"
	"raysteps/scripts/internal/results"
)

// run measures what the flags ask for and prints what it found.
func (b *bench) run(ctx context.Context, env *cli.Env, _ []string) (err error) {
	b.start = time.Now()
	if b.root, err = cli.ModuleRoot(); err != nil {
		return err
	}
	if b.bin, err = os.MkdirTemp("", "raysteps-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.bin)
	if err := b.plan(ctx, env); err != nil {
		return err
	}
	stopped := b.measure(ctx, env)
	if len(b.all) == 0 {
		return stopped
	}
	if b.set, err = results.Of(b.all, "this run"); err != nil {
		return err
	}
	b.set.Own = true // what was not measured is left out
	where, err := b.write()
	if err != nil {
		return err
	}
	if stopped != nil {
		fmt.Fprintf(env.Stdout, "Stopped early: %d launches are finished and kept.\n\n", b.done)
	}
	err = b.print(env.Stdout)
	fmt.Fprint(env.Stdout, where)
	return cmp.Or(stopped, err)
}

const cycles = 30 // turns of each subject in a launch

// measure runs launches until all are done or the time is up, and counts. What stops
// it is an error, beside what was measured before.
func (b *bench) measure(ctx context.Context, env *cli.Env) error {
	bar := env.Progress(int64(b.limit/time.Second), "measuring")
	defer bar.Finish()
	for ; b.kind != "counts" && (b.orders == 0 || b.done < b.orders); b.done++ {
		took := time.Since(b.start)
		if b.done >= 2 && (took+took/time.Duration(b.done) > b.limit || b.kind == "against" && b.narrow()) {
			break
		}
		bar.Set(int(took / time.Second))
		if b.done == len(b.programs[0].Binaries) {
			bar.Clear()
			for _, p := range b.programs {
				p.Plan.Longest = min(b.limit, 30*time.Second)
				if err := p.Link(ctx, env, max(2, runtime.GOMAXPROCS(0))); err != nil {
					return err
				}
			}
		}
		together := len(b.programs)
		if b.kind == "experiments" {
			together = 1 // the benchmarks of a package
		}
		for programs := range slices.Chunk(b.programs, together) {
			more, err := launch.Launch(ctx, programs, b.done)
			if err != nil {
				return err
			}
			b.all = append(b.all, more...)
		}
	}
	switch {
	case b.kind == "counts":
		return b.count(ctx, env, b.root, "")
	case b.kind == "against" && count.Available() == nil:
		return cmp.Or(b.count(ctx, env, b.tree, b.value), b.count(ctx, env, b.root, workingTree))
	}
	return nil
}

// count counts the chosen steps of a module in the three scenes.
func (b *bench) count(ctx context.Context, env *cli.Env, root, build string) error {
	counted, err := count.Measure(ctx, env, root, launch.Steps(b.chosen), scene.Names())
	if err != nil {
		return err
	}
	version, err := count.Version(ctx)
	for _, c := range counted {
		r := &benchfmt.Result{Name: benchfmt.Name("Count/scene=" + c.Scene), Iters: 1}
		for i, unit := range count.Units() {
			r.Values = append(r.Values, benchfmt.Value{Value: math.Round(100*c.PerRay[i]) / 100, Unit: unit})
		}
		for key, value := range map[string]string{"pkg": c.Package, "kernel": c.Kernel, "valgrind": version, buildKey: build} {
			turns.Set(r, key, value)
		}
		b.all = append(b.all, r)
	}
	return err
}

// write writes the measurements with lines that describe the machine, and says where
// they are: those of -against, which no page shows, nowhere but with -o.
func (b *bench) write() (where string, err error) {
	lines, err := machine.Describe()
	if err != nil {
		return "", err
	}
	lines = append(lines, benchfmt.Config{Key: "pgo", Value: []byte("off")},
		benchfmt.Config{Key: "measured", Value: time.Now().UTC().AppendFormat(nil, time.RFC3339)})
	var text bytes.Buffer
	text.WriteString("Unit rays/s better=higher\n")
	for _, unit := range count.Units() {
		fmt.Fprintf(&text, "Unit %s assume=exact\n", unit)
	}
	text.WriteString("\n")
	w := benchfmt.NewWriter(&text)
	// All launches of a benchmark together, as what changes is written again, and in the
	// order of declaration: the first variant is the one to compare with.
	first := map[string]int{}
	id := func(r *benchfmt.Result) string { return r.GetConfig("pkg") + r.GetConfig(buildKey) + string(r.Name) }
	for i, r := range slices.Backward(b.all) {
		first[id(r)] = i
	}
	slices.SortStableFunc(b.all, func(r, s *benchfmt.Result) int { return first[id(r)] - first[id(s)] })
	for _, r := range b.all {
		for _, line := range lines {
			if _, ok := r.ConfigIndex(line.Key); !ok {
				turns.Set(r, line.Key, string(line.Value))
			}
		}
		r = r.Clone()
		turns.Set(r, "picture", "") // all launches have the same
		if err := w.Write(r); err != nil {
			return "", err
		}
	}
	switch name := results.Local + "/" + results.MachineName(b.all[0]) + ".txt"; {
	case b.out != "":
		return "The measurements are in " + b.out + ".\n", outfile.Write("results", b.out, text.Bytes())
	case b.kind == "against":
		return "", nil
	default:
		return "The measurements are in " + name + ". To see them in the pages: go run ./scripts/readme; to take them out again: go run ./scripts/readme -reset\n",
			results.Merge(filepath.Join(b.root, filepath.FromSlash(name)), text.Bytes())
	}
}

// column is one of a table: a rate over a base, or the rate.
func column(base string) results.Column { return results.Column{Unit: "rays/s", Base: base} }

// print prints what was measured, for how long, and how noisy the machine was.
func (b *bench) print(w io.Writer) (err error) {
	var counts []results.Column
	for _, unit := range count.Units()[:4] {
		counts = append(counts, results.Column{Unit: unit, Form: "short"})
	}
	rate, first, bySteps := column(""), column(b.chosen[0].Name), results.TableSpec{Rows: "step,label"}
	switch b.kind {
	case "counts":
		bySteps.Bench = "Count"
		return b.scenes(w, bySteps, counts...)
	case "against":
		spec := results.TableSpec{Query: results.Query{Builds: true, Bench: "Render"}, Rows: "/scene", Cols: "build"}
		err = b.table(w, b.chosen[0].Title()+" against "+b.value, spec, rate, column("build="+b.value))
		missed := map[bool]string{false: "The time was too short for ±1 % in all scenes; -time gives it more.\n"}[b.narrow()]
		fmt.Fprintf(w, "What the copy of %s that is linked again differs by is noise: its functions are at other places.\n%s%s\n", b.value, missed, b.pictures())
		spec.Bench = "Count"
		err = cmp.Or(err, b.table(w, "Executed for a ray", spec, counts...))
	case "Spheres":
		err = b.table(w, "Scenes by number of spheres", results.TableSpec{Query: results.Query{Bench: "Spheres"}, Rows: "/scene", Cols: "step"}, rate, first)
	case "experiments":
		err = b.printExperiments(w)
	case "builds":
		bySteps.Builds, bySteps.Cols = true, "build"
		err = b.scenes(w, bySteps, rate, column("build="+b.programs[0].Build.String()))
	default:
		bySteps.Noise = true
		err = b.scenes(w, bySteps, rate, first, column("before"), results.Column{Unit: "rays/s", Form: "place"})
		b.printFindings(w)
	}
	fmt.Fprintf(w, "Measured for %v: %s, %s in each.", time.Since(b.start).Round(time.Second), english.Plural(b.done, "link order", ""), english.Plural(b.all[0].Iters, "turn", ""))
	var slow []float64
	for _, line := range b.all {
		if share, ok := line.Value(turns.SlowSlices); ok {
			slow = append(slow, share)
		}
	}
	if share := turns.Median(slow); share > 0.04 {
		fmt.Fprintf(w, " The machine was noisy: one slice in ten took %.0f %% longer than usual, or more.", 100*share)
	}
	fmt.Fprintln(w)
	return err
}

// table prints a table, unless nothing is in it.
func (b *bench) table(w io.Writer, title string, spec results.TableSpec, columns ...results.Column) error {
	spec.Columns = columns
	t, err := results.Tabulate([]*results.Set{b.set}, spec)
	if err == nil && len(t.Rows) > 0 {
		fmt.Fprintf(w, "%s\n\n%s\n", title, t.Text())
	}
	return err
}

// scenes prints a table for each scene.
func (b *bench) scenes(w io.Writer, spec results.TableSpec, columns ...results.Column) error {
	for _, name := range slices.Backward(scene.Names()) {
		spec.Where = "/scene:" + name
		if err := b.table(w, name+" scene", spec, columns...); err != nil {
			return err
		}
	}
	return nil
}

// printExperiments prints a table for each benchmark of a package. Variants are
// compared with the first, of the same scene if they have scenes.
func (b *bench) printExperiments(w io.Writer) error {
	last := ""
	for _, line := range b.all { // which stand together
		full, pkg, base := string(line.Name), line.GetConfig("pkg"), "first"
		name := full[:strings.IndexAny(full+"/", "/-")]
		if pkg+" "+name == last {
			continue
		}
		last = pkg + " " + name
		if strings.Contains(full, "/scene=") {
			base = "first of scene"
		}
		var columns []results.Column
		for _, v := range line.Values {
			if v.Unit != turns.SlowSlices {
				columns = append(columns, results.Column{Unit: v.Unit}, results.Column{Unit: v.Unit, Base: base})
			}
		}
		spec := results.TableSpec{Query: results.Query{Packages: []string{pkg}, Bench: name}, Rows: ".fullname"}
		if err := b.table(w, last, spec, columns...); err != nil {
			return err
		}
	}
	return nil
}

// narrow reports whether all scenes are known to 1 % against a revision.
func (b *bench) narrow() bool {
	set, err := results.Of(b.all, "this run")
	return err == nil && !slices.ContainsFunc(scene.Names(), func(sc string) bool {
		e, ok := set.Quantity(b.chosen[0].Package(), "Render/scene="+sc, workingTree, results.Column{Unit: "rays/s", Base: "build=" + b.value})
		return !ok || e.Orders < 8 || e.HalfWidth() > 0.01
	})
}

// pictures says whether a step still renders what it rendered in a revision.
func (b *bench) pictures() string {
	was := map[string]string{} // by benchmark: the lines of the revision come first
	for _, line := range b.all {
		name, picture := string(line.Name), line.GetConfig("picture")
		if was[name] == "" {
			was[name] = picture
		}
		if picture != was[name] {
			return "The pictures are NOT those of " + b.value + ": " + name + " is another one."
		}
	}
	return "The pictures are the same."
}

// printFindings says in words what the tables of the steps say.
func (b *bench) printFindings(w io.Writer) {
	best, top := b.chosen[0], 1.
	for _, sc := range slices.Backward(scene.Names()) {
		lists := map[string][]string{}
		for _, step := range b.chosen {
			e, ok := b.set.Quantity(step.Package(), "Render/scene="+sc, "", results.Column{Unit: "rays/s", Base: "before"})
			center, interval, _ := strings.Cut(e.String(), " ")
			list, words := "not known from this run", " "+interval
			switch {
			case !ok:
				continue
			case e.Lo > 1 && e.Center > 1.01:
				list, words = "faster", " "+center
			case e.Hi < 1 && e.Center < 0.99:
				list, words = "slower", " "+center
			case e.Center > 0.99 && e.Center < 1.01:
				list, words = "the same, within 1 %", ""
			}
			if list == "faster" && e.Center > top && !step.Workers && !step.Beyond {
				best, top = step, e.Center
			}
			lists[list] = append(lists[list], strings.TrimPrefix(step.Short()+" "+step.Label, step.Name+" ")+words)
		}
		heading := sc + " scene, each against the step before:\n"
		for _, list := range slices.Sorted(maps.Keys(lists)) {
			fmt.Fprintf(w, "%s  %s: %s\n", heading, list, strings.Join(lists[list], ", "))
			heading = ""
		}
	}
	if top > 1 {
		fmt.Fprintf(w, "\nThe largest gain on one core is %s (%s), %.2f times: docs/%s.md predicts it, and shows what the processor does then.\n\n", best.Title(), best.Label, top, best.Name)
	}
}
