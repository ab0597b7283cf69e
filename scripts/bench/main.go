// Bench measures the steps on this machine and prints a table.
//
// It links all steps into one program, in many link orders, and launches each of
// these a few times. In a launch the steps take turns in slices of milliseconds.
// In place of the steps in the three scenes it measures the experiments of the
// chapters, numbers of spheres, of workers and of simulated processors, builds,
// or a step against another revision of itself, in the same way. What it writes
// is plain Go benchmark format.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/machine"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

func main() { cli.Main(command()) }

func command() cli.Command {
	return cli.Command{
		Name:     "bench",
		Synopsis: "[flags]",
		Help: `Bench measures the steps and prints a table for each scene: rays a second, the
speed against step 1 and against the step before, and how far the latter differs
between link orders. Behind a figure is its 95 % interval; a comparison whose
interval reaches further than 5 % to a side is called undecided.

All steps are linked into one program, in many orders of its functions; each of
these is launched a few times, in random order; in a launch all steps take turns
in slices of milliseconds. What a step makes of a scene before it renders, such as
a tree, is made once a launch and not timed. The last row of a table is the code of step 1 linked
a second time, at another place: what it differs by is noise.

The measurements go to a file in the Go benchmark format under results/local,
which git ignores; with -o, to a file of your choice. Those of all steps go from
there into the README and the chapters with go run ./scripts/readme; others with
go run ./scripts/publish FILE. Ctrl-C keeps the launches that are
finished.

In place of the steps in the three scenes it measures
  -against           one step against its files in a revision of git: what a
                     change did, in half a minute
and, each into a file of its own kind,
  -experiments       the benchmarks that the chapters show
  -workers, -tiles   a step with goroutines, by their number and the size of
                     the tiles that they take
  -simulate          the same for up to 256 processors, from the time that each
                     tile takes on one
  -spheres           scenes of one sphere to a million, on one core
  -builds            settings of the compiler, or releases of Go
  -full              each picture of 1280x720 once, between slices
  -peers             the same pictures beside the article's program in C++

Lists are numbers or names with commas between, or the word all. Where the
toolchain has GOEXPERIMENT=simd, packages that can make use of it are built with
it, together with all that is linked with them.`,
		Examples: `
			go run ./scripts/bench -quick                            # all steps, about a minute and a half
			go run ./scripts/bench                                   # all steps, about eleven minutes, what the tables show
			go run ./scripts/bench -step 1,3-4,avx512 -quick         # some of them
			go run ./scripts/bench -against HEAD -step 4             # what a change of step 4 did
			go run ./scripts/bench -experiments -step 4              # the benchmarks of chapter 4
			go run ./scripts/bench -step 13 -workers 1,2,4           # one, two and four goroutines
			go run ./scripts/bench -workers all -tiles all           # every number of goroutines with every size of tiles
			go run ./scripts/bench -simulate                         # goroutines on processors that this machine has not
			go run ./scripts/bench -spheres all                      # 1 to 1,000,000 spheres, about six minutes
			go run ./scripts/bench -builds v1,v3+pgo -step 4,12      # two builds of two steps
			go run ./scripts/bench -peers ../rays1                   # beside the article's program, built in that folder
			go run ./scripts/bench -builds go1.26.8,go1.27.4         # two releases of Go
			go run ./scripts/bench -builds v1,v1+instrument -step 13 # what marks cost where nothing is measured
			go tool benchstat -ignore link-order,launch -col pkg -row /scene FILE`,
		Setup: setup,
	}
}

func setup(flags *flag.FlagSet) cli.Run {
	var o options
	o.register(flags)
	return func(ctx context.Context, env *cli.Env, args []string) error {
		flags.Visit(func(f *flag.Flag) { o.set = append(o.set, f.Name) })
		chosen, err := o.check()
		if err != nil {
			return err
		}
		root, err := cli.ModuleRoot()
		if err != nil {
			return err
		}
		bin, err := os.MkdirTemp("", "raysteps-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(bin)
		return run(ctx, env, root, bin, o, chosen)
	}
}

func run(ctx context.Context, env *cli.Env, root, bin string, o options, chosen []steps.Step) error {
	p, err := newPlan(ctx, env, root, bin, o, chosen)
	if err != nil {
		return err
	}
	return p.run(ctx, env, root, o, chosen)
}

// run measures what is planned and prints tables of it.
func (p *plan) run(ctx context.Context, env *cli.Env, root string, o options, chosen []steps.Step) error {
	if p.note != "" {
		fmt.Fprintf(env.Stdout, "%s\n\n", p.note)
	}
	if o.counters {
		if err := p.slicer.Countable(ctx); err != nil {
			fmt.Fprintf(env.Stdout, "Without counters: %v\n\n", err)
		}
	}
	out, f, err := p.newFile(root, o)
	if err != nil {
		return err
	}
	var done, all int
	what := "launches"
	switch {
	case o.full:
		what = "pictures"
		done, all, err = p.renderFull(ctx, env, f)
	case o.peers != "":
		what = "rounds"
		done, all, err = p.renderPeers(ctx, env, f)
	default:
		all = p.extent.Orders * p.extent.Launches
		done, err = launch.Measure(ctx, env, p.source, p.groups, p.extent.Schedule, p.keep(f), p.noise(out))
	}
	if done == 0 {
		return err
	}
	if err != nil {
		fmt.Fprintf(env.Stdout, "Stopped early: %d of %d %s are finished and kept.\n\n", done, all, what)
	}
	if terr := p.printTables(env, out, o, chosen); err == nil {
		err = terr
	}
	return err
}

// newFile opens the file that the measurements go to.
func (p *plan) newFile(root string, o options) (name string, f *file, err error) {
	if name = o.out; name == "" {
		name = localFile(root, o)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return "", nil, err
		}
	}
	lines, err := machine.Describe()
	if err != nil {
		return "", nil, err
	}
	f, err = newFile(name, append(lines, p.describe(o.kind())...), o.kind())
	return name, f, err
}

// describe returns the lines of the file that say how it was measured.
func (p *plan) describe(kind results.Kind) []benchfmt.Config {
	line := func(key, value string) benchfmt.Config {
		return benchfmt.Config{Key: key, Value: []byte(value), File: true}
	}
	lines := []benchfmt.Config{
		line("pgo", "off"),
		line("link-orders", strconv.Itoa(p.extent.Orders)),
		line("launches", strconv.Itoa(p.extent.Orders*p.extent.Launches)),
	}
	if p.slicer == nil {
		return append(lines, line("slice-time", benchTime))
	}
	switch kind {
	case results.OfSteps, results.OfBuilds:
		lines = append(lines, line("slice-pictures", slicePictures))
	case results.OfSpheres:
		lines = append(lines, line("slice-pictures", spherePictures))
	}
	return append(lines, line("slice-time", launch.TurnTime.String()))
}

// keep returns what takes the records of a launch into a file. A step that ran
// another kernel than its own says so: figures of a plain version never pass for
// those of SIMD instructions.
func (p *plan) keep(f *file) func([]launch.Record) error {
	return func(records []launch.Record) error {
		if p.slicer != nil {
			for i, r := range records {
				records[i].Config = p.slicer.WithKernel(r.Package, r.Config)
			}
		}
		return f.append(records)
	}
}

// noise returns what says in a progress bar how wide the interval of the noise
// row is, of the widest scene.
func (p *plan) noise(out string) func() string {
	return func() string {
		if p.slicer == nil {
			return ""
		}
		set, err := results.ReadFile(out)
		if err != nil {
			return ""
		}
		widest := 0.
		for _, scene := range set.Scenes() {
			if e, err := set.Noise(scene); err == nil {
				widest = max(widest, e.HalfWidth())
			}
		}
		if widest == 0 || math.IsInf(widest, 1) { // after the first launch there is no interval yet
			return ""
		}
		return fmt.Sprintf(", noise row ±%.1f %%", 100*widest)
	}
}

// localFile names a file by the time, so that no run replaces another.
func localFile(root string, o options) string {
	name := time.Now().Format("2006-01-02T150405")
	if kind := o.kind(); kind != results.OfSteps {
		name += "-" + string(kind)
	}
	if o.against != "" {
		name += "-against"
	}
	if o.quick {
		name += "-quick"
	}
	return filepath.Join(root, "results", "local", name+".txt")
}

func (p *plan) printTables(env *cli.Env, name string, o options, chosen []steps.Step) error {
	set, err := results.ReadFile(name)
	if err != nil {
		return err
	}
	if o.against == "" {
		err = tables(env.Stdout, set, o.kind(), chosen)
	} else {
		table, bad := set.AgainstTable(chosen[0], o.against, workingTree, p.verdicts())
		err = show(env.Stdout, chosen[0].Title()+" against "+o.against, table, bad)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "The measurements are in %s\n", relative(name))
	for _, line := range set.Doubts() {
		fmt.Fprintln(env.Stdout, line)
	}
	return nil
}

// show prints a table, unless there is an error in place of it.
func show(w io.Writer, title string, table results.Table, err error) error {
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n\n%s\n", title, table.Text())
	}
	return err
}

// tables prints what was measured.
func tables(w io.Writer, set *results.Set, kind results.Kind, chosen []steps.Step) error {
	switch kind {
	case results.OfExperiments:
		_, err := fmt.Fprintln(w, set.All().Text())
		return err
	case results.OfSpheres:
		table, err := set.SpheresTable()
		crossings, err2 := set.Crossings()
		if err = show(w, "by number of spheres", table, cmp.Or(err, err2)); err == nil && len(crossings) > 0 {
			_, err = fmt.Fprintf(w, "The tree is faster than %s.\n\n", results.JoinCrossings(crossings))
		}
		return err
	case results.OfPeers:
		for _, scene := range set.Scenes() {
			table, bad := set.PeersTable(scene)
			if err := show(w, scene+" scene, beside C++", table, bad); err != nil {
				return err
			}
		}
		return nil
	case results.OfFull:
		table, err := set.FullTable()
		return show(w, "slices against pictures of 1280x720", table, err)
	}
	for _, scene := range set.Scenes() {
		title := scene + " scene"
		var err error
		switch kind {
		case results.OfSweep:
			for _, step := range chosen {
				table, bad := set.SweepTable(step, scene, 0)
				err = cmp.Or(err, show(w, step.Title()+", "+title, table, bad))
			}
		case results.OfSchedules:
			for _, step := range chosen {
				table, bad := set.ScheduleTable(step, scene)
				err = cmp.Or(err, show(w, step.Title()+", efficiency on simulated processors, "+title, table, bad))
			}
		case results.OfBuilds:
			table, bad := set.BuildsTable(scene)
			err = show(w, title, table, bad)
		default:
			table, bad := set.Steps(scene, chosen)
			err = show(w, title, table, bad)
		}
		if err != nil {
			return err
		}
	}
	if table := set.CountersTable(); kind == results.OfSteps && len(table.Rows) > 0 {
		return show(w, "counted by the processor, for a ray", table, nil)
	}
	return nil
}

// relative shortens a file's name for the reader, who is most often in the
// root of the module.
func relative(name string) string {
	wd, err := os.Getwd()
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(wd, name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}
