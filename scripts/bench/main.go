// Bench measures the steps on this machine and prints a table.
//
// It compiles the tests of each step and runs the benchmarks in rounds: every
// step once, and the first step a second time to show the noise, then the next
// round. In place of the steps it measures the experiments of the chapters,
// numbers of workers, sizes of tiles, processors that are simulated, numbers of
// spheres or builds in the same way. What it writes is plain Go benchmark format, so benchstat reads it as it
// is.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

const maxRounds = 1000

func main() { cli.Main(command()) }

func command() cli.Command {
	return cli.Command{
		Name:     "bench",
		Synopsis: "[flags]",
		Help: `Bench measures the steps in rounds and prints a table for each scene: the
median of all rounds and its 95 % interval, the speed against step 1 and
against the step before, and step 1 against itself, which is the noise.

The measurements go to a file in the Go benchmark format under results/local,
which git ignores; with -o, to a file of your choice. Those of all steps at full
size go from there into the README and the chapters with
go run ./scripts/readme; others with go run ./scripts/readme -publish FILE.

A round measures every chosen step once, so that a machine that drifts does
not favor one. An interval needs six rounds or more. Ctrl-C keeps the rounds
that are finished.

In place of the steps in the three scenes it measures, each into a file of its
own kind:
  -experiments       the benchmarks that the chapters show
  -workers, -tiles   a step with goroutines, by their number and the size of
                     the tiles that they take
  -simulate          the same for up to 256 processors, from the time that each
                     tile takes on one
  -spheres           scenes of one sphere to very many
  -builds            settings of the compiler. A profile-guided build takes
                     most of a minute for each step

Lists are numbers or names with commas between, or the word all. Packages of
beyond that can make use of GOEXPERIMENT=simd are built with it where the
toolchain has it; a line says so, and so does the file.`,
		Examples: `
			go run ./scripts/bench -quick                            # all steps, small pictures: a minute or two
			go run ./scripts/bench -num 10                           # all steps, 1280x720, ten rounds: an hour or so
			go run ./scripts/bench -step 1,3-4,avx512 -quick         # some of them
			go run ./scripts/bench -experiments -step 4              # the benchmarks of chapter 4
			go run ./scripts/bench -step 13 -workers 1,2,4           # one, two and four goroutines
			go run ./scripts/bench -workers all -tiles all -quick    # every number of goroutines with every size of tiles
			go run ./scripts/bench -simulate                         # goroutines on processors that this machine has not
			go run ./scripts/bench -spheres all                      # 1 to 100,000 spheres
			go run ./scripts/bench -builds v1,v3+pgo -step 4,12      # two builds of two steps
			go run ./scripts/bench -builds v1,v1+instrument -step 13 # what marks cost where nothing is measured
			go run ./scripts/bench -step 4 -quick -num 1 -cpuprofile cpu.pprof -trace trace.out
			go tool benchstat -col pkg -row /scene FILE              # the steps side by side
			go tool benchstat -filter ".unit:rays/s pkg:(raysteps/step03 OR raysteps/step04)" -col pkg -row /scene FILE
			go tool benchstat -filter ".unit:rays/s" -row /scene,/tile -col /workers SWEEPS
			go tool benchstat -filter ".unit:efficiency" -row /scene,/division -col /workers SCHEDULES
			go tool benchstat -filter ".unit:rays/s" -row /spheres -col pkg SPHERES
			go tool benchstat -filter ".unit:rays/s" -row pkg,/scene -col goamd64,pgo,bounds,instrument BUILDS
			go tool benchstat BEFORE AFTER                           # a step before and after a change
			go tool pprof -top cpu.pprof
			go tool trace trace.out`,
		Setup: setup,
	}
}

func setup(flags *flag.FlagSet) cli.Run {
	var o options
	flags.BoolVar(&o.all, "all", false, "measure all steps; so it does without any choice, too")
	flags.BoolVar(&o.latest, "latest", false, "measure the last step only, or the last package of beyond")
	flags.BoolVar(&o.single, "single-threaded", false, "measure the last step that uses one goroutine only")
	flags.StringVar(&o.step, "step", "", "measure a `list` of steps: 4, or 1,3-5, or step04, or avx512")
	flags.StringVar(&o.size, "size", "", "width and height of the pictures, such as `320x180`, in place of 1280x720")
	flags.IntVar(&o.samples, "samples", 0, "`samples` a pixel, in place of those of the size; with fewer of them a round is shorter and rays a second are the same")
	flags.BoolVar(&o.quick, "quick", false, "small pictures: 80x60 and 4 samples a pixel in place of 1280x720 and 10")
	flags.BoolVar(&o.compileOnly, "compile-only", false, "build the benchmarks and run nothing")
	flags.IntVar(&o.rounds, "num", 6, "`number` of rounds")
	flags.BoolVar(&o.save, "save", false, "save the pictures of the first round under pictures")
	flags.BoolVar(&o.experiments, "experiments", false, "run the benchmarks of the chapters in place of BenchmarkRender")
	numbers(flags, &o.workers, "workers", "measure a step with a `list` of numbers of goroutines", usualWorkers(), maxWorkers)
	numbers(flags, &o.tiles, "tiles", "measure a step with a `list` of sizes of tiles, in pixels", usualTiles, maxTile)
	flags.BoolVar(&o.simulate, "simulate", false, "simulate a step with goroutines on up to 256 processors, by the way the picture is divided")
	numbers(flags, &o.spheres, "spheres", "measure scenes with a `list` of numbers of spheres", usualSpheres, maxSpheres)
	buildsFlag(flags, &o.builds)
	flags.StringVar(&o.cpuProfile, "cpuprofile", "", "after the rounds, run the step once more and write its CPU profile to this `file`")
	flags.StringVar(&o.trace, "trace", "", "after the rounds, run the step once more and write its execution trace to this `file`")
	flags.Float64Var(&o.watts, "watts", 0, "note in the file how many `watts` the processor takes at full load")
	flags.StringVar(&o.out, "o", "", "write the measurements to this `file`")
	return func(ctx context.Context, env *cli.Env, args []string) error {
		flags.Visit(func(f *flag.Flag) { o.listed = o.listed || f.Name == "step" })
		chosen, err := o.check()
		if err != nil {
			return err
		}
		return run(ctx, env, o, chosen)
	}
}

type options struct {
	all, latest, single             bool
	step                            string
	listed                          bool // step was given, if only as an empty text
	quick, compileOnly, experiments bool
	workers, tiles, spheres         []int
	simulate                        bool
	builds                          []build
	rounds                          int
	save                            bool
	cpuProfile, trace               string
	watts                           float64
	size                            string
	samples                         int
	out                             string

	// home is the folder that results/local and pictures are made in. Empty, it
	// is the root of the module.
	home string
}

func run(ctx context.Context, env *cli.Env, o options, chosen []steps.Step) error {
	root, err := cli.ModuleRoot()
	if err != nil {
		return err
	}
	o.home = cmp.Or(o.home, root)
	bin, err := os.MkdirTemp("", "raysteps-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)

	plan, err := newPlan(root, bin, o, chosen)
	if err != nil {
		return err
	}
	if plan.note != "" {
		fmt.Fprintf(env.Stdout, "%s\n\n", plan.note)
	}
	if err := plan.build(ctx, env); err != nil {
		return err
	}
	if o.compileOnly {
		var names []string
		for _, t := range plan.targets {
			names = append(names, t.title())
		}
		fmt.Fprintf(env.Stdout, "built the benchmarks of %s\n", strings.Join(names, ", "))
		return nil
	}
	return record(ctx, env, plan, chosen)
}

// record measures and writes the file and the tables. When it is interrupted
// it does so with the rounds that are finished.
func record(ctx context.Context, env *cli.Env, plan *plan, chosen []steps.Step) error {
	o := plan.options
	out := o.out
	if out == "" {
		out = localFile(o)
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return err
		}
	}
	if plan.save != "" {
		if err := os.MkdirAll(plan.save, 0o755); err != nil {
			return err
		}
	}
	file, err := newFile(out, o.kind())
	if err != nil {
		return err
	}
	done, err := plan.measure(ctx, env, file)
	if done == 0 {
		return err
	}
	if err != nil {
		fmt.Fprintf(env.Stdout, "Stopped early: %d of %d rounds are finished and kept.\n\n", done, o.rounds)
	}
	if terr := printTables(env, out, plan, chosen); err == nil {
		err = terr
	}
	if err == nil {
		err = plan.profile(ctx, env)
	}
	return err
}

// localFile names a file by the time, so that no run replaces another.
func localFile(o options) string {
	name := time.Now().Format("2006-01-02T150405")
	if kind := o.kind(); kind != results.OfSteps {
		name += "-" + string(kind)
	}
	if o.quick {
		name += "-quick"
	}
	if o.size != "" {
		name += "-" + o.size
	}
	if o.samples > 0 {
		name += fmt.Sprintf("-%d-samples", o.samples)
	}
	return filepath.Join(o.home, "results", "local", name+".txt")
}

func printTables(env *cli.Env, name string, plan *plan, chosen []steps.Step) error {
	set, err := results.ReadFile(name)
	if err != nil {
		return err
	}
	if err := tables(env.Stdout, set, plan.options.kind(), chosen); err != nil {
		return err
	}
	if set.Rounds() < results.MinRounds {
		fmt.Fprintf(env.Stdout, "± ∞: an interval needs %d rounds or more (-num %d).\n", results.MinRounds, results.MinRounds)
	}
	fmt.Fprintf(env.Stdout, "The measurements are in %s\n", relative(name))
	if plan.save != "" {
		fmt.Fprintf(env.Stdout, "The pictures are in %s\n", relative(plan.save))
	}
	return nil
}

// tables prints what was measured.
func tables(w io.Writer, set *results.Set, kind results.Kind, chosen []steps.Step) error {
	show := func(title string, table results.Table, err error) error {
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\n\n%s\n", title, table.Text())
		}
		return err
	}
	switch kind {
	case results.OfExperiments:
		_, err := fmt.Fprintln(w, set.All().Text())
		return err
	case results.OfSpheres:
		table, err := set.SpheresTable()
		return show("by number of spheres", table, err)
	}
	for _, scene := range set.Scenes() {
		title := scene + " scene"
		if set.Config["size"] != "" {
			title += fmt.Sprintf(", %s, %s samples a pixel", set.Config["size"], set.Config["samples"])
		}
		var err error
		switch kind {
		case results.OfSweep:
			for _, step := range chosen {
				table, bad := set.SweepTable(step, scene, nil)
				err = cmp.Or(err, show(step.Title()+", "+title, table, bad))
			}
		case results.OfSchedules:
			for _, step := range chosen {
				table, bad := set.ScheduleTable(step, scene)
				err = cmp.Or(err, show(step.Title()+", efficiency on simulated processors, "+title, table, bad))
			}
		case results.OfBuilds:
			table, bad := set.BuildsTable(scene)
			err = show(title, table, bad)
		default:
			table, bad := set.Steps(scene, chosen)
			err = show(title, table, bad)
		}
		if err != nil {
			return err
		}
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
