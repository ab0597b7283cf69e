package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common"
	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// plan is what is linked and measured.
type plan struct {
	*options
	root, bin string // folders of the module and for binaries
	tree      string // folder of the revision of -against

	note     string // what a reader should know of the builds, or empty
	programs []*launch.Program
	together bool // the programs take turns with each other; else they follow each other
	others   []peer
	done     int // launches
}

// cycles is how many turns each subject has in a launch.
const cycles = 30

// buildKey is the configuration line that names the build that was measured.
const buildKey = "build"

// workingTree is the name of the build of the files as they are, and again ends that
// of a revision's second copy, which is linked in other orders.
const (
	workingTree = "working tree"
	again       = ", linked again"
)

// fill says what there is to measure.
func (p *plan) fill(ctx context.Context) (err error) {
	p.together = true
	here := &launch.Linker{Root: p.root, Bin: p.bin}
	switch {
	case p.counts:
	case p.against != "":
		p.tree = filepath.Join(p.bin, "tree")
		if err := checkOut(ctx, p.root, p.against, p.tree); err != nil {
			return cli.Misuse("-against %s: %w", p.against, err)
		}
		if _, err := os.Stat(filepath.Join(p.tree, filepath.FromSlash(p.chosen[0].Folder()))); err != nil {
			return cli.Misuse("-against %s: there is no %s in that revision", p.against, p.chosen[0].Folder())
		}
		there := &launch.Linker{Root: p.tree, Home: p.root, Bin: p.bin}
		for _, name := range []string{p.against, workingTree, p.against + again} {
			l := there
			if name == workingTree {
				l = here
			}
			if err := p.addSteps(l, launch.Build{}, name); err != nil {
				return err
			}
		}
	case p.experiments != "" && p.experiments != spheresExperiment:
		return p.addExperiments(ctx, here)
	case p.builds != "":
		for _, b := range p.wanted {
			if err := p.addSteps(here, b, b.String()); err != nil {
				return err
			}
		}
	default:
		if p.peers != "" {
			p.others, err = findPeers(p.peers, p.chosen)
		}
		if err == nil {
			err = p.addSteps(here, launch.Build{}, "")
		}
	}
	return err
}

// addSteps adds a program of the chosen steps in the scenes. The first step stands
// twice in it, as the noise, unless builds are compared.
func (p *plan) addSteps(l *launch.Linker, b launch.Build, build string) error {
	var folders []string
	var pictures []turns.Picture
	variants := launch.Steps(p.chosen)
	add := func(step steps.Step, variant launch.Variant, pkg string) {
		pic := turns.Picture{Variant: variant.Name, Package: pkg, Workers: 1}
		if step.Workers {
			pic.Workers = runtime.GOMAXPROCS(0)
		}
		for _, symbol := range step.Hot {
			pic.Hot = append(pic.Hot, variant.Package+"."+symbol)
		}
		pictures = append(pictures, pic)
	}
	for i, step := range p.chosen {
		folders = append(folders, step.Folder())
		add(step, variants[i], step.Package())
	}
	if first := p.chosen[0]; first.Number == 1 && build == "" && p.peers == "" && p.experiments == "" {
		variants = append(variants, launch.Again(filepath.Join(l.Root, first.Folder())))
		add(first, variants[len(variants)-1], results.Again)
	}
	if err := l.UseSIMD(folders); err != nil {
		return err
	}
	p.note = l.Note
	prog, err := l.Launcher("the steps", b, variants)
	if err != nil {
		return err
	}
	prog.Config = map[string]string{buildKey: build, "goversion": b.Toolchain, "goamd64": b.Level}
	if b.Has("pgo") {
		prog.Config["pgo"] = "on"
	}
	if strings.HasSuffix(build, again) {
		prog.Offset = 1 << 20
	}
	prog.Plan = turns.Plan{Cycles: cycles, Whole: p.peers != ""}
	group := func(name string, g turns.Group) {
		for _, pic := range pictures {
			pic.Name = name
			if p.peers != "" {
				full := common.Default()
				pic.Width, pic.Height, pic.Samples = full.Width, full.Height, full.Samples
			}
			g.Subjects = append(g.Subjects, pic)
		}
		prog.Plan.Groups = append(prog.Plan.Groups, g)
	}
	if p.experiments != "" {
		for _, n := range spheres {
			group(fmt.Sprint("Render/spheres=", n), turns.Group{Spheres: n})
		}
	} else {
		kind := map[bool]string{true: "Full", false: "Render"}[p.peers != ""]
		for _, sc := range scene.Names() {
			group(kind+"/scene="+sc, turns.Group{Scene: sc})
		}
	}
	p.programs = append(p.programs, prog)
	return nil
}

// spheresExperiment is no benchmark of a package but renders scenes of these numbers
// of spheres with steps that take turns, by default a loop on one core, on all, and
// what goes on from it.
const (
	spheresExperiment = "Spheres"
	sphereSteps       = "12,13,wavefront,tree"
)

var spheres = []int{1, 3, 10, 30, 100, 200, 300, 1000, 2000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000}

// notExperiments are benchmarks that are measured in another way, or run for an
// execution trace: only their names bring them in.
var notExperiments = []string{"Render", "Race"}

// declaration matches the package clause and the benchmarks of a file of tests.
var declaration = regexp.MustCompile(`(?m)^(?:package (\w+)|func Benchmark([A-Z]\w*)\(\w+ \*testing\.B\))`)

// addExperiments adds the test binary of each package that has a benchmark of the
// wanted names.
func (p *plan) addExperiments(ctx context.Context, l *launch.Linker) error {
	wanted := strings.Split(p.experiments, ",")
	everyName := p.experiments == "all"
	p.together = !everyName
	folders := []string{"./..."}
	if p.step != "" {
		folders = nil
		for _, step := range p.chosen {
			folders = append(folders, "./"+step.Folder())
		}
	}
	if err := l.UseSIMD([]string{"beyond/archsimd"}); err != nil {
		return err
	}
	p.note = l.Note
	out, err := l.Go(ctx, launch.Build{}, append([]string{"list", "-json=Dir,TestGoFiles,XTestGoFiles"}, folders...)...)
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
		var pkg struct {
			Dir                       string
			TestGoFiles, XTestGoFiles []string
		}
		if err := decoder.Decode(&pkg); err != nil {
			return err
		}
		benchmarks := map[string][]string{}
		for _, name := range slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles) {
			text, err := os.ReadFile(filepath.Join(pkg.Dir, name))
			if err != nil {
				return err
			}
			clause := ""
			for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
				clause += m[1]
				if m[2] != "" && (everyName && !slices.Contains(notExperiments, m[2]) || slices.Contains(wanted, m[2])) {
					benchmarks[clause] = append(benchmarks[clause], "Benchmark"+m[2])
					found[m[2]] = true
				}
			}
		}
		if len(benchmarks) == 0 {
			continue
		}
		folder, err := filepath.Rel(p.root, pkg.Dir)
		if err != nil {
			return err
		}
		prog, err := l.Tests(filepath.ToSlash(folder), benchmarks)
		if err != nil {
			return err
		}
		prog.Config = map[string]string{"pkg": cli.Module + "/" + filepath.ToSlash(folder)}
		prog.Plan.Cycles = cycles
		p.programs = append(p.programs, prog)
	}
	for _, name := range wanted {
		if !found[name] && (!everyName || len(found) == 0) {
			return cli.Misuse("-experiments: no package that was chosen has a Benchmark%s; want names of benchmarks, or all", name)
		}
	}
	return nil
}

// measure runs launches until all are done or the time is up, and returns what
// they measured. What stops it is an error, beside what was measured before.
func (p *plan) measure(ctx context.Context, env *cli.Env, start time.Time) ([]*benchfmt.Result, error) {
	if p.counts {
		return p.count(ctx, env, p.root, "")
	}
	orders, limit := p.extent()
	bar := env.Progress(int64(limit/time.Second), "measuring")
	defer bar.Finish()
	var all []*benchfmt.Result
	var begin time.Time // after the first link, which compiles
	for ; p.done < orders; p.done++ {
		if p.done >= leastOrders {
			each := time.Since(begin) / time.Duration(p.done)
			if time.Since(start)+each > limit || p.against != "" && p.narrow(all) {
				break
			}
		}
		if p.done == len(p.programs[0].Binaries) {
			bar.Clear()
			for _, prog := range p.programs {
				prog.Plan.Longest = min(limit, 30*time.Second)
				if err := prog.Link(ctx, env, min(max(leastOrders, runtime.GOMAXPROCS(0)), orders-p.done)); err != nil {
					return all, err
				}
			}
		}
		if p.done == 0 {
			begin = time.Now()
		}
		got, err := p.launch(ctx)
		if err != nil {
			return all, err
		}
		all = append(all, got...)
		bar.Set(int(time.Since(start) / time.Second))
	}
	if p.against == "" || count.Available() != nil {
		return all, nil
	}
	before, err := p.count(ctx, env, p.tree, p.against)
	if err != nil {
		return all, err
	}
	after, err := p.count(ctx, env, p.root, workingTree)
	return slices.Concat(all, before, after), err
}

// launch runs the programs of the plan in the next link order.
func (p *plan) launch(ctx context.Context) ([]*benchfmt.Result, error) {
	all, err := p.round(ctx, p.others)
	together := 1
	if p.together {
		together = len(p.programs)
	}
	for programs := range slices.Chunk(p.programs, together) {
		if err != nil {
			break
		}
		var got []*benchfmt.Result
		got, err = launch.Launch(ctx, programs, p.done)
		all = append(all, got...)
	}
	return all, err
}

// count counts the chosen steps of a module in the three scenes.
func (p *plan) count(ctx context.Context, env *cli.Env, root, build string) ([]*benchfmt.Result, error) {
	counted, err := count.Measure(ctx, env, root, launch.Steps(p.chosen), scene.Names())
	if err != nil {
		return nil, err
	}
	version, err := count.Version(ctx)
	var all []*benchfmt.Result
	for _, c := range counted {
		r := &benchfmt.Result{Name: benchfmt.Name("Count/scene=" + c.Scene), Iters: 1}
		for i, unit := range count.Units() {
			r.Values = append(r.Values, benchfmt.Value{Value: math.Round(100*c.PerRay[i]) / 100, Unit: unit})
		}
		for key, value := range map[string]string{"pkg": c.Package, "kernel": c.Kernel, "valgrind": version, buildKey: build} {
			turns.Set(r, key, value)
		}
		all = append(all, r)
	}
	return all, err
}

// checkOut writes the tree of a revision into a folder.
func checkOut(ctx context.Context, root, revision, dir string) error {
	// A revision that begins with - is no option. With --quiet, git says nothing of one
	// that it does not know.
	commit, err := git(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return errors.New("there is no such revision; want one that git knows, such as HEAD, a branch or a tag")
	}
	if err == nil {
		_, err = git(ctx, root, "clone", "--quiet", "--shared", "--no-checkout", ".", dir)
	}
	if err == nil {
		_, err = git(ctx, dir, "checkout", "--quiet", "--detach", commit)
	}
	return err
}

// git runs it in a folder and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := launch.Output(ctx, cmd)
	return strings.TrimSpace(out), err
}
