package main

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"raysteps/common"
	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// plan is what is linked and measured.
type plan struct {
	extent
	what    string   // what a progress bar calls it
	note    string   // what a reader should know of the builds, or empty
	sources []source // one for each program of a launch
	ring    bool     // the programs take turns with each other; else they follow each other
	peers   *peers
	done    int // launches
	enough  func([]*benchfmt.Result) bool
}

// source is a program that is linked in as many orders as are needed.
type source struct {
	launch.Program
	linker  *launch.Linker
	build   launch.Build
	title   string
	command []string // of go: build, or test -c
	overlay string
	profile string // for a build with one
	pkg     string
	hot     map[string][]string // see [launch.Places]
}

// batch is how many link orders are linked at once.
const batch = 8

// cycles is how many turns each subject has in a launch.
const cycles = 30

// fill says what there is to measure, and links the first batch of it.
func (p *plan) fill(ctx context.Context, env *cli.Env, root, bin string, o *options) (err error) {
	*p = plan{extent: o.extent(), what: "the steps", ring: true}
	switch {
	case o.against != "":
		err = p.addRevisions(ctx, root, bin, o)
	case o.experiments != "" && o.experiments != spheresExperiment:
		err = p.addExperiments(ctx, root, bin, o)
	case o.builds != "":
		for _, b := range o.wanted {
			err = cmp.Or(err, p.addSteps(&launch.Linker{Root: root, Bin: bin}, o, b, b.String()))
		}
	default:
		err = p.addSteps(&launch.Linker{Root: root, Bin: bin}, o, launch.Build{}, "")
		if err == nil && o.peers != "" {
			p.sources[0].Plan.Whole = true
			p.peers, err = findPeers(o.peers, o.chosen)
		}
	}
	if err != nil {
		return err
	}
	return p.link(ctx, env, 0)
}

// addSteps adds a program of the chosen steps in the three scenes.
func (p *plan) addSteps(l *launch.Linker, o *options, b launch.Build, name string) error {
	if err := l.UseSIMD(foldersOf(o.chosen)); err != nil {
		return err
	}
	p.note = cmp.Or(p.note, l.Note)
	s := source{linker: l, build: b, title: cmp.Or(name, "the steps"), command: []string{"build"}, pkg: "./" + launch.Launcher().Folder, hot: map[string][]string{}}
	s.Config = map[string]string{buildKey: name, "goversion": b.Toolchain, "goamd64": b.Level}
	if b.Has("pgo") {
		s.Config["pgo"] = "on"
	}
	s.Plan.Cycles, s.Plan.Short = cycles, o.quick
	variants := launch.Steps(o.chosen)
	first := o.chosen[0]
	noise := name == "" && o.peers == "" && o.experiments == "" && first.Number == 1
	if noise {
		again := launch.Copy(launch.Again, filepath.Join(l.Root, first.Folder()))
		variants = append(variants, again)
		s.hot[results.Again] = hotSymbols(first, again.Package)
	}
	for _, step := range o.chosen {
		s.hot[step.Package()] = hotSymbols(step, step.Package())
	}
	groups := make([]turns.Group, 0, len(spheres))
	for _, n := range spheres {
		groups = append(groups, turns.Group{Spheres: n})
	}
	if o.experiments == "" {
		groups = groups[:0]
		for _, sc := range scene.Names() {
			groups = append(groups, turns.Group{Scene: sc})
		}
	}
	for _, g := range groups {
		pic := turns.Picture{Name: "Render/scene=" + g.Scene}
		if g.Spheres > 0 {
			pic.Name = fmt.Sprint("Render/spheres=", g.Spheres)
		}
		if o.peers != "" {
			full := common.Default()
			pic = turns.Picture{Name: "Full/scene=" + g.Scene, Width: full.Width, Height: full.Height, Samples: full.Samples}
		}
		for _, step := range o.chosen {
			pic.Variant, pic.Package, pic.Workers = step.Name, step.Package(), 1
			if step.Workers {
				pic.Workers = runtime.GOMAXPROCS(0)
			}
			g.Subjects = append(g.Subjects, pic)
		}
		if noise {
			pic.Variant, pic.Package, pic.Workers = launch.Again, results.Again, 1
			g.Subjects = append(g.Subjects, pic)
		}
		s.Plan.Groups = append(s.Plan.Groups, g)
	}
	dir := filepath.Join(l.Bin, fmt.Sprint("launcher-", len(p.sources)))
	var err error
	if s.overlay, err = l.Overlay(dir, launch.Launcher(), variants); err != nil {
		return err
	}
	p.sources = append(p.sources, s)
	return nil
}

// addRevisions adds a step as it is in a revision, the same linked in other orders,
// and as it is now.
func (p *plan) addRevisions(ctx context.Context, root, bin string, o *options) error {
	tree, step := filepath.Join(bin, "tree"), o.chosen[0]
	if err := checkOut(ctx, root, o.against, tree); err != nil {
		return cli.Misuse("-against %s: %w", o.against, err)
	}
	if info, err := os.Stat(filepath.Join(tree, filepath.FromSlash(step.Folder()))); err != nil || !info.IsDir() {
		return cli.Misuse("-against %s: there is no %s in that revision", o.against, step.Folder())
	}
	for i, from := range []string{tree, root} {
		if err := p.addSteps(&launch.Linker{Root: from, Home: root, Bin: bin}, o, launch.Build{}, []string{o.against, workingTree}[i]); err != nil {
			return err
		}
	}
	again := p.sources[0]
	again.Shift = 1
	again.Config = map[string]string{buildKey: o.against + againSuffix}
	p.sources = append(p.sources, again)
	p.what = step.Title() + " against " + o.against
	p.enough = func(all []*benchfmt.Result) bool {
		r, err := newReport(all, o)
		return err == nil && r.narrow()
	}
	return nil
}

// workingTree is the name of the build of the files as they are, and againSuffix
// makes that of a revision's second copy.
const (
	workingTree = "working tree"
	againSuffix = ", linked again"
)

// link links all programs in one more batch of orders. Nothing is measured
// meanwhile.
func (p *plan) link(ctx context.Context, env *cli.Env, from int) error {
	orders := min(batch, p.orders-from)
	for i := range p.sources {
		s := &p.sources[i]
		if s.Shift > 0 { // it has the binaries of the first
			s.Binaries, s.Places = p.sources[0].Binaries, p.sources[0].Places
			continue
		}
		if s.build.Has("pgo") && s.profile == "" {
			if err := s.writeProfile(ctx, env); err != nil {
				return err
			}
		}
		binaries, err := s.linker.Link(ctx, env, s.title, s.build, s.command, s.overlay, s.profile, s.pkg, from, orders)
		if err != nil {
			return err
		}
		places := make([]map[string]string, len(binaries))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i := range binaries {
			group.Go(func() (err error) {
				if len(s.hot) > 0 {
					places[i], err = launch.Places(ctx, binaries[i], s.hot)
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		s.Binaries, s.Places = append(s.Binaries, binaries...), append(s.Places, places...)
	}
	return nil
}

// check holds the pictures of all launches to the first one's.
func (p *plan) check(all []*benchfmt.Result) error {
	pictures := map[string]string{}
	for _, r := range all {
		key := r.GetConfig("pkg") + " " + string(r.Name) + " " + r.GetConfig(buildKey)
		got := r.GetConfig("picture")
		if want, ok := pictures[key]; ok && got != want {
			return fmt.Errorf("%s rendered another picture in another launch: %s; want %s", key, got, want)
		}
		pictures[key] = got
	}
	return nil
}

// writeProfile renders with an unguided build and writes the profile of it.
func (s *source) writeProfile(ctx context.Context, env *cli.Env) error {
	unguided := s.build
	unguided.Options = strings.ReplaceAll(unguided.Options, "+pgo", "")
	binaries, err := s.linker.Link(ctx, env, "unguided "+s.title, unguided, s.command, s.overlay, "", s.pkg, 0, 1)
	if err != nil {
		return err
	}
	program := s.Program
	program.Binaries = binaries
	program.Plan.Cycles = 100
	s.profile = filepath.Join(s.linker.Bin, "profile-"+strings.ReplaceAll(s.title, "/", "-"))
	program.Plan.Profile = s.profile
	_, err = launch.Launch(ctx, []launch.Program{program}, 0)
	return err
}

// buildKey is the configuration line that names the build that was measured.
const buildKey = "build"

// hotSymbols are the functions of a step that test the spheres, as a binary names
// them that has the step in a package.
func hotSymbols(s steps.Step, pkg string) []string {
	var symbols []string
	for _, symbol := range s.Hot {
		symbols = append(symbols, pkg+"."+symbol)
	}
	return symbols
}

func foldersOf(chosen []steps.Step) []string {
	var folders []string
	for _, s := range chosen {
		folders = append(folders, s.Folder())
	}
	return folders
}

// addExperiments adds the test binary of each package that has a benchmark of the
// wanted names.
func (p *plan) addExperiments(ctx context.Context, root, bin string, o *options) error {
	wanted := strings.Split(o.experiments, ",")
	byName := o.experiments != allExperiments
	folders := []string{"./..."}
	if o.step != "" {
		folders = nil
		for _, folder := range foldersOf(o.chosen) {
			folders = append(folders, "./"+folder)
		}
	}
	linker := &launch.Linker{Root: root, Bin: bin}
	if err := linker.UseSIMD([]string{"beyond/archsimd"}); err != nil {
		return err
	}
	p.note = linker.Note
	p.what, p.ring = "experiments", byName
	out, err := linker.Go(ctx, append([]string{"list", "-json=Dir,TestGoFiles,XTestGoFiles"}, folders...)...)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
		var pkg struct {
			Dir                       string
			TestGoFiles, XTestGoFiles []string
		}
		if err := decoder.Decode(&pkg); err != nil {
			return err
		}
		benchmarks, err := declared(pkg.Dir, slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles))
		if err != nil {
			return err
		}
		var match []string
		benchmarks = slices.DeleteFunc(benchmarks, func(b launch.Benchmark) bool {
			name := strings.TrimPrefix(b.Name, "Benchmark")
			use := !byName && !slices.Contains(notExperiments, name) || byName && slices.Contains(wanted, name)
			if use {
				match, names[name] = append(match, name), true
			}
			return !use
		})
		if len(benchmarks) == 0 {
			continue
		}
		folder, err := filepath.Rel(root, pkg.Dir)
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		s := source{linker: linker, title: folder, command: []string{"test", "-c"}, pkg: "./" + folder}
		s.Test, s.Dir = true, pkg.Dir
		s.Config = map[string]string{"pkg": cli.Module + "/" + folder}
		s.Plan.Match, s.Plan.Cycles = strings.Join(match, "|"), cycles
		if s.overlay, err = linker.TestOverlay(filepath.Join(bin, fmt.Sprint("test-", len(p.sources))), folder, benchmarks); err != nil {
			return err
		}
		p.sources = append(p.sources, s)
	}
	for _, name := range wanted {
		if byName && !names[name] {
			return cli.Misuse("-experiments: no package that was chosen has a Benchmark%s; want one of their names, or all", name)
		}
	}
	if len(p.sources) == 0 {
		return fmt.Errorf("there is no benchmark besides Render in these packages: %s", strings.Join(folders, ", "))
	}
	return nil
}

const allExperiments = "all"

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
var notExperiments = []string{"Render", "Timeline", "Race", "Schedule"}

// declared lists the benchmarks that test files declare.
func declared(dir string, files []string) (all []launch.Benchmark, err error) {
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && benchmarkName.MatchString(fn.Name.Name) {
				all = append(all, launch.Benchmark{Package: f.Name.Name, Name: fn.Name.Name})
			}
		}
	}
	return all, nil
}

var benchmarkName = regexp.MustCompile(`^Benchmark[A-Z]`)

// checkOut writes the tree of a revision into a folder.
func checkOut(ctx context.Context, root, revision, dir string) error {
	// A revision that begins with - is no option. With --quiet, git says nothing of one
	// that it does not know.
	tree, err := git(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{tree}")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return errors.New("there is no such revision; want one that git knows, such as HEAD, a branch or a tag")
	}
	if err != nil {
		return err
	}
	if _, err := git(ctx, root, "archive", "--format=zip", "--output="+dir+".zip", tree); err != nil {
		return err
	}
	archive, err := zip.OpenReader(dir + ".zip")
	if err != nil {
		return err
	}
	defer archive.Close()
	return os.CopyFS(dir, archive)
}

// git runs it in a folder and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := launch.Output(ctx, cmd)
	return strings.TrimSpace(out), err
}
