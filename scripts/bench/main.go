// Bench measures the steps on this machine and prints a table.
//
// It compiles the tests of each step once and runs the benchmarks in
// rounds: every step once, and the first step a second time to show the noise,
// then the next round. What it writes is plain Go benchmark format, so
// benchstat reads it as it is.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/moby/sys/atomicwriter"

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
which git ignores; with -o, to a file of your choice. Put that file into the
README and the chapters with: go run ./scripts/readme -publish FILE

A round measures every chosen step once, so that a machine that drifts does
not favor one. An interval needs six rounds or more. Ctrl-C keeps the rounds
that are finished.`,
		Examples: `
			go run ./scripts/bench -quick              # all steps, small pictures: a minute or two
			go run ./scripts/bench -num 10             # all steps, 1280x720, ten rounds: an hour or so
			go run ./scripts/bench -step 1,3-4 -quick  # three of the steps
			go run ./scripts/bench -experiments        # the chapters' own benchmarks
			go tool benchstat -col pkg -row /scene results/local/FILE.txt`,
		Setup: setup,
	}
}

func setup(flags *flag.FlagSet) cli.Run {
	var o options
	flags.BoolVar(&o.all, "all", false, "measure all steps; so it does without any choice, too")
	flags.BoolVar(&o.latest, "latest", false, "measure the last step only")
	flags.BoolVar(&o.single, "single-threaded", false, "measure the last step that uses one goroutine only")
	flags.StringVar(&o.step, "step", "", "measure a `list` of steps: 4, or 1,3-5, or step04")
	flags.BoolVar(&o.quick, "quick", false, "small pictures: 80x60 and 4 samples a pixel in place of 1280x720 and 10")
	flags.BoolVar(&o.compileOnly, "compile-only", false, "build the benchmarks and run nothing")
	flags.IntVar(&o.rounds, "num", 6, "`number` of rounds")
	flags.BoolVar(&o.save, "save", false, "save the pictures of the first round under pictures")
	flags.BoolVar(&o.experiments, "experiments", false, "run the benchmarks of the chapters in place of BenchmarkRender")
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
	rounds                          int
	save                            bool
	out                             string

	// home is the folder that results/local and pictures are made in. Empty, it
	// is the root of the module.
	home string
}

// check returns the chosen steps, or what is wrong with the options.
func (o options) check() ([]steps.Step, error) {
	var given []string
	for _, c := range []struct {
		name string
		set  bool
	}{{"-all", o.all}, {"-latest", o.latest}, {"-single-threaded", o.single}, {"-step", o.listed}} {
		if c.set {
			given = append(given, c.name)
		}
	}
	if len(given) > 1 {
		return nil, cli.Misuse("%s exclude each other; want one of them", strings.Join(given, " and "))
	}
	if o.rounds < 1 || o.rounds > maxRounds {
		return nil, cli.Misuse("-num is %d; want 1 to %d rounds", o.rounds, maxRounds)
	}
	if o.experiments && (o.save || o.quick) {
		return nil, cli.Misuse("-experiments has no pictures and one size; want it without -quick and -save")
	}
	if o.out != "" {
		if err := checkName(o.out); err != nil {
			return nil, cli.Misuse("-o: %v", err)
		}
	}
	switch {
	case o.latest:
		return []steps.Step{steps.Latest()}, nil
	case o.single:
		return []steps.Step{steps.LatestSingle()}, nil
	case o.listed:
		chosen, err := steps.Select(o.step)
		if err != nil {
			return nil, cli.Misuse("-step: %v", err)
		}
		return chosen, nil
	}
	return steps.All(), nil
}

// checkName says whether results can be written to a file of that name. It is
// asked before the first round, which may take minutes.
func checkName(name string) error {
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return fmt.Errorf("results %q: %q is not a folder; want one that exists", name, filepath.Dir(name))
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("results %q: is a folder; want the name of a file", name)
	}
	// What is opened and closed without a byte leaves no trace.
	w, err := atomicwriter.New(name, mode)
	if err != nil {
		return fmt.Errorf("results %q: %w", name, err)
	}
	return w.Close()
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
	if err := plan.build(ctx, env); err != nil {
		return err
	}
	if o.compileOnly {
		var names []string
		for _, t := range plan.targets {
			names = append(names, t.name)
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
	file, err := newFile(out)
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
	return err
}

// localFile names a file by the time, so that no run replaces another.
func localFile(o options) string {
	name := time.Now().Format("2006-01-02T150405")
	switch {
	case o.experiments:
		name += "-experiments"
	case o.quick:
		name += "-quick"
	}
	return filepath.Join(o.home, "results", "local", name+".txt")
}

func printTables(env *cli.Env, name string, plan *plan, chosen []steps.Step) error {
	set, err := results.ReadFile(name)
	if err != nil {
		return err
	}
	if plan.options.experiments {
		fmt.Fprintln(env.Stdout, set.All().Text())
	} else {
		for _, scene := range set.Scenes() {
			table, err := set.Steps(scene, chosen)
			if err != nil {
				return err
			}
			fmt.Fprintf(env.Stdout, "%s scene, %s, %s samples a pixel\n\n%s\n", scene, set.Config["size"], set.Config["samples"], table.Text())
		}
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
