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
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/machine"
	"raysteps/scripts/internal/oldresults"
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
		p, err := newPlan(ctx, env, root, bin, o, chosen)
		if err != nil {
			return err
		}
		return p.run(ctx, env, root, o, chosen)
	}
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
	f, err := p.newFile(root, o)
	if err != nil {
		return err
	}
	var done int
	all, what := p.extent.Orders*p.extent.Launches, "launches"
	switch {
	case o.full || o.peers != "":
		what = "rounds of pictures"
		done, all, err = p.renderWhole(ctx, env, f)
	default:
		done, err = launch.Measure(ctx, env, p.source, p.groups, p.extent.Schedule, f.append, string(o.kind()))
	}
	if done == 0 {
		return err
	}
	if err != nil {
		fmt.Fprintf(env.Stdout, "Stopped early: %d of %d %s are finished and kept.\n\n", done, all, what)
	}
	if terr := p.printTables(env, root, f.name, o, chosen); err == nil {
		err = terr
	}
	return err
}

// newFile opens the file that the measurements go to.
func (p *plan) newFile(root string, o options) (*file, error) {
	name := o.out
	if name == "" {
		name = localFile(root, o)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
	}
	lines, err := machine.Describe()
	if err != nil {
		return nil, err
	}
	return newFile(name, append(lines, p.describe(o.kind())...), o.kind()), nil
}

// describe returns the lines of the file that say how it was measured.
func (p *plan) describe(kind results.Kind) []benchfmt.Config {
	var lines []benchfmt.Config
	add := func(key, value string) {
		lines = append(lines, benchfmt.Config{Key: key, Value: []byte(value), File: true})
	}
	add("pgo", "off")
	add("link-orders", strconv.Itoa(p.extent.Orders))
	add("launches", strconv.Itoa(p.extent.Orders*p.extent.Launches))
	switch kind {
	case results.OfSteps, results.OfBuilds:
		add("slice-pictures", slicePictures)
	case results.OfSpheres:
		add("slice-pictures", spherePictures)
	}
	if p.slicer == nil {
		add("slice-time", benchTime)
	} else {
		add("slice-time", launch.TurnTime.String())
	}
	return lines
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

func (p *plan) printTables(env *cli.Env, root, name string, o options, chosen []steps.Step) error {
	set, err := results.ReadFile(name)
	if err != nil {
		return err
	}
	if err := p.tables(env.Stdout, set, o, chosen); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "The measurements are in %s\n", strings.TrimPrefix(name, root+string(filepath.Separator)))
	for _, line := range set.Doubts() {
		fmt.Fprintln(env.Stdout, line)
	}
	return nil
}

// tables prints what was measured.
func (p *plan) tables(w io.Writer, set *results.Set, o options, chosen []steps.Step) (err error) {
	// show prints a table, unless there was an error before or in place of it.
	show := func(title string, table results.Table, bad error) {
		if err = cmp.Or(err, bad); err == nil {
			_, err = fmt.Fprintf(w, "%s\n\n%s\n", title, table.Text())
		}
	}
	inEach := func(title string, table func(scene string) (results.Table, error)) {
		for _, scene := range set.Scenes() {
			made, bad := table(scene)
			show(scene+" scene"+title, made, bad)
		}
	}
	switch kind := o.kind(); {
	case o.against != "":
		table, bad := set.AgainstTable(chosen[0], o.against, workingTree, p.verdicts())
		show(chosen[0].Title()+" against "+o.against, table, bad)
	case kind == results.OfExperiments:
		show("experiments", set.All(), nil)
	case kind == results.OfSweep:
		for _, step := range chosen {
			inEach(", "+step.Title(), func(scene string) (results.Table, error) { return set.SweepTable(step, scene, 0) })
		}
	case kind == results.OfSchedules:
		for _, step := range chosen {
			inEach(", efficiency of "+step.Title()+" on simulated processors", func(scene string) (results.Table, error) { return set.ScheduleTable(step, scene) })
		}
	case kind == results.OfSpheres:
		table, bad := set.SpheresTable()
		show("by number of spheres", table, bad)
		crossings, bad := set.Crossings()
		if err = cmp.Or(err, bad); err == nil && len(crossings) > 0 {
			_, err = fmt.Fprintf(w, "The tree is faster than %s.\n\n", results.JoinCrossings(crossings))
		}
	case kind == results.OfBuilds:
		inEach("", set.BuildsTable)
	case kind == results.OfFull:
		table, bad := set.FullTable()
		show("slices against pictures of 1280x720", table, bad)
	case kind == results.OfPeers:
		inEach(", beside C++", set.PeersTable)
	default:
		inEach("", func(scene string) (results.Table, error) { return set.Steps(scene, chosen) })
		if table := set.CountersTable(); len(table.Rows) > 0 {
			show("counted by the processor, for a ray", table, nil)
		}
	}
	return err
}
