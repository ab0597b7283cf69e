// Bench measures the steps on this machine, in turns and in many link orders, and
// prints what it found. What it writes is plain Go benchmark format.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

func main() { cli.Main(command()) }

func command() cli.Command {
	return cli.Command{
		Name:     "bench",
		Synopsis: "[flags]",
		Help: `Bench measures the steps and prints a table for each scene: rays a second, the
speed over step 1 and over the step before, and what the place of its code is worth
to a step. Behind a figure is its 95 % interval; ~ stands for a ratio that may be 1.
The last row is the code of step 1 linked a second time, at another place: what it
differs by is noise. docs/measuring.md tells how it works.

The measurements go to the file of this machine in results/local, which git ignores,
in the place of earlier ones of the same. Ctrl-C keeps the launches that are finished.
With -against, -builds, -counts or -experiments it measures something else.`,
		Examples: `
			go run ./scripts/bench -quick                          # all steps, about a minute and a half
			go run ./scripts/bench                                 # all steps, about twelve minutes, with narrow intervals
			go run ./scripts/bench -step 1,3-4,avx512 -time 30s    # some of them
			go run ./scripts/bench -against HEAD -step 4           # what a change of step 4 did
			go run ./scripts/bench -experiments all -step 4        # the benchmarks of chapter 4
			go tool benchstat -ignore link-order,place -col pkg -row /scene FILE`,
		Setup: func(flags *flag.FlagSet) cli.Run { return new(bench).register(flags) },
	}
}

// bench is what is measured, and what was found.
type bench struct {
	kind, value string // the flag of kinds that was given, and its value
	chosen      []steps.Step
	limit       time.Duration // for measuring, linking included
	orders      int           // link orders at the most, or 0
	out         string

	start     time.Time
	root, bin string // folders of the module and for binaries
	tree      string // folder of the revision of -against
	programs  []*launch.Program

	done int // launches
	all  []*benchfmt.Result
	set  *results.Set // of all
}

// kinds are what is measured, by the flag that says so.
var kinds = map[string]struct {
	usage  string
	orders int // at the most, or 0, and how long it takes, if no flag says it
	limit  time.Duration
	steps  string // by default, if not all
}{
	"":            {"", 0, 11*time.Minute + 15*time.Second, ""},
	"against":     {"measure one step against a `revision` of git, such as HEAD", 0, time.Minute, ""},
	"builds":      {"measure a `list` of builds of the steps, such as v1,v3+pgo or go1.26.8,go1.27.4", 12, 10 * time.Minute, ""},
	"counts":      {"count instructions, loads, stores and branches a ray by valgrind, exactly", 0, 0, ""},
	"experiments": {"measure benchmarks of packages, by a list of `names` such as Layout or Workers,Tiles, Spheres for scenes of 1 to 1,000,000 spheres, or all that the chapters show", 12, 10 * time.Minute, ""},
	"Spheres":     {"", 12, 10 * time.Minute, "12,13,wavefront,tree"},
}

// register declares the flags and returns what runs once they are read.
func (b *bench) register(flags *flag.FlagSet) cli.Run {
	flags.Func("step", "measure a `list` of steps: 4, or 1,3-5, or step04, or avx512", func(list string) (err error) {
		b.chosen, err = steps.Parse(list)
		return err
	})
	for name, kind := range kinds {
		choose := func(value string) error {
			switch {
			case value == "":
				return errors.New("it is empty")
			case b.kind != "":
				return fmt.Errorf("-%s measures something else; want one of them", b.kind)
			}
			b.kind, b.value = name, value
			return nil
		}
		switch {
		case name == "counts":
			flags.BoolFunc(name, kind.usage, choose)
		case kind.usage != "":
			flags.Func(name, kind.usage, choose)
		}
	}
	flags.DurationVar(&b.limit, "time", 0, "measure for about so `long`, such as 60s, linking included")
	flags.BoolFunc("quick", "take about a minute and a half, with wider intervals", func(string) error {
		b.limit = 94 * time.Second
		return nil
	})
	flags.Func("o", "write the measurements to this `file`", func(name string) error {
		b.out = name
		return outfile.Check("results", name)
	})
	return b.run
}

const (
	buildKey    = "build"        // the configuration line that names the build that was measured
	workingTree = "working tree" // the build of the files as they are
)

// spheres are the scenes of -experiments Spheres, which is no benchmark of a package.
var spheres = strings.Fields("scene=sphereflake=0 scene=sphereflake=1 scene=sphereflake=2 scene=sphereflake=3 scene=sphereflake=4 scene=sphereflake=5 scene=sphereflake=6 scene=cloud=10 scene=cloud=100 scene=cloud=1000 scene=cloud=10000 scene=cloud=100000 scene=cloud=1000000")

// plan says what is linked and measured.
func (b *bench) plan(ctx context.Context, env *cli.Env) (err error) {
	if b.value == "Spheres" {
		b.kind = b.value
	}
	kind := kinds[b.kind]
	if b.limit == 0 {
		b.orders, b.limit = kind.orders, kind.limit
	}
	everywhere := b.chosen == nil
	switch {
	case everywhere && kind.steps != "":
		b.chosen, err = steps.Parse(kind.steps)
	case everywhere:
		b.chosen = steps.All()
	}
	if err != nil || b.kind == "counts" {
		return err
	}
	here := &launch.Linker{Root: b.root, Bin: b.bin}
	switch b.kind {
	case "against":
		err = b.addRevision(ctx, here)
	case "builds":
		for text := range strings.SplitSeq(b.value, ",") {
			build, ok := launch.ReadBuild(strings.TrimSpace(text))
			if !ok {
				return cli.Misuse("-builds %q: want a release of Go, a level or both, and maybe +pgo, such as go1.27.4, v3 or v1+pgo", text)
			}
			err = cmp.Or(err, b.addSteps(here, build, build.String()))
		}
	case "experiments":
		err = b.addExperiments(ctx, here, everywhere)
	default:
		err = b.addSteps(here, launch.Build{}, "")
	}
	if err == nil && here.Note != "" {
		fmt.Fprintf(env.Stdout, "%s\n\n", here.Note)
	}
	return err
}

// addSteps adds a program of the chosen steps. The first step stands twice in it, as
// the noise, unless something else is measured in place of the steps.
func (b *bench) addSteps(l *launch.Linker, build launch.Build, name string) error {
	plan := turns.Plan{Name: "Render", Cycles: cycles}
	for _, name := range scene.Names() {
		plan.Scenes = append(plan.Scenes, "scene="+name)
	}
	switch b.kind {
	case "Spheres":
		plan.Name, plan.Scenes = "Spheres", spheres
	}
	variants := launch.Steps(b.chosen)
	for _, step := range b.chosen {
		plan.Subjects = append(plan.Subjects, turns.Picture{Variant: step.Name, Package: step.Package(), Parallel: step.Workers})
	}
	if first := b.chosen[0]; first.Number == 1 && b.kind == "" {
		variants = append(variants, l.Again(first))
		plan.Subjects = append(plan.Subjects, turns.Picture{Variant: "again", Package: results.Again})
	}
	if err := l.UseSIMD(variants); err != nil {
		return err
	}
	program, err := l.Launcher("the steps", build, variants)
	if err != nil {
		return err
	}
	program.Plan = plan
	program.Config = map[string]string{buildKey: name, "goversion": build.Toolchain, "goamd64": build.Level, "pgo": strings.Replace(build.PGO, "+pgo", "on", 1)}
	program.Offset = len(b.programs) << 20 // so that each has link orders of its own
	b.programs = append(b.programs, program)
	return nil
}

// addRevision adds a step as it is in a revision, as it is here, and the first once
// more, linked in other orders. The loop in which all are measured is that of today.
func (b *bench) addRevision(ctx context.Context, here *launch.Linker) error {
	if len(b.chosen) != 1 {
		return cli.Misuse("-against takes one step; want -step with its number")
	}
	git := func(args ...string) (string, error) {
		return cli.Output(ctx, exec.CommandContext(ctx, "git", args...))
	}
	commit, err := git("-C", b.root, "rev-parse", "--verify", "--quiet", "--end-of-options", b.value+"^{commit}") // which may begin with -
	if err != nil {
		return cli.Misuse("-against %s: git knows no such revision; want one such as HEAD, a branch or a tag: %w", b.value, err)
	}
	b.tree = filepath.Join(b.bin, "tree")
	if _, err = git("clone", "--quiet", "--shared", "--no-checkout", b.root, b.tree); err == nil {
		_, err = git("-C", b.tree, "checkout", "--quiet", "--detach", strings.TrimSpace(commit))
	}
	loop := filepath.Join("common", "turns")
	if err == nil {
		err = os.RemoveAll(filepath.Join(b.tree, loop))
	}
	if err == nil {
		err = os.CopyFS(filepath.Join(b.tree, loop), os.DirFS(filepath.Join(b.root, loop)))
	}
	if err != nil {
		return err
	}
	there := &launch.Linker{Root: b.tree, Bin: b.bin}
	return cmp.Or(b.addSteps(there, launch.Build{}, b.value), b.addSteps(here, launch.Build{}, workingTree), b.addSteps(there, launch.Build{}, b.value+", linked again"))
}

// declaration matches the package clause and the benchmarks of a file of tests.
var declaration = regexp.MustCompile(`(?m)^(?:package (\w+)|func Benchmark([A-Z]\w*)\(\w+ \*testing\.B\))`)

// addExperiments adds the test binary of each package that has a benchmark of the
// wanted names, of the chosen steps or of all packages.
func (b *bench) addExperiments(ctx context.Context, l *launch.Linker, everywhere bool) error {
	args := []string{"list", "-f", "{{.ImportPath}}{{range .TestGoFiles}}\t{{.}}{{end}}{{range .XTestGoFiles}}\t{{.}}{{end}}"}
	if everywhere {
		args = append(args, "./...")
	}
	for _, step := range b.chosen {
		args = append(args, "./"+step.Folder()) // go list names a package once
	}
	if err := l.UseSIMD([]launch.Variant{{Package: cli.Module + "/beyond/archsimd"}}); err != nil {
		return err
	}
	out, err := l.Go(ctx, launch.Build{}, args...)
	if err != nil {
		return err
	}
	wanted, found := strings.Split(b.value, ","), map[string]bool{}
	for line := range strings.Lines(out) {
		files := strings.Split(strings.TrimRight(line, "\r\n"), "\t") // behind their package
		folder := strings.TrimPrefix(files[0], cli.Module+"/")
		benchmarks := map[string][]string{}
		for _, name := range files[1:] {
			text, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(folder), name))
			if err != nil {
				return err
			}
			clause := ""
			for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
				clause += m[1]
				all := b.value == "all" && m[2] != "Render" && m[2] != "Race" && m[2] != "Rays" // which are for an execution trace, and for scripts/peers
				if m[2] != "" && (all || slices.Contains(wanted, m[2])) {
					benchmarks[clause] = append(benchmarks[clause], "Benchmark"+m[2])
					found[m[2]] = true
				}
			}
		}
		if len(benchmarks) == 0 {
			continue
		}
		program, err := l.Tests(folder, benchmarks)
		if err != nil {
			return err
		}
		program.Config = map[string]string{"pkg": files[0]}
		program.Plan = turns.Plan{Cycles: cycles}
		b.programs = append(b.programs, program)
	}
	for _, name := range wanted {
		if !found[name] && (b.value != "all" || len(found) == 0) {
			return cli.Misuse("-experiments: no package that was chosen has a Benchmark%s; want names of benchmarks, or all", name)
		}
	}
	return nil
}
