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

// plan links nothing yet but what is needed to know what there is to measure.
func (o *options) plan(ctx context.Context, env *cli.Env, root, bin string) (*plan, error) {
	p := &plan{extent: o.extent(), what: "the steps", ring: true}
	var err error
	switch {
	case o.experiments == spheresExperiment:
		err = p.addSteps(&launch.Linker{Root: root, Bin: bin}, o, launch.Build{}, "")
	case o.experiments != "":
		err = p.addExperiments(ctx, root, bin, o)
	case o.against != "":
		err = p.addRevisions(ctx, root, bin, o)
	case o.builds != "":
		for _, b := range o.wanted {
			err = cmp.Or(err, p.addSteps(&launch.Linker{Root: root, Bin: bin}, o, b, b.String()))
		}
	default:
		err = p.addSteps(&launch.Linker{Root: root, Bin: bin}, o, launch.Build{}, "")
		if err == nil && o.peers != "" {
			p.peers, err = findPeers(o.peers, o.chosen)
			p.sources[0].Plan.Whole = true
		}
	}
	if err != nil {
		return nil, err
	}
	return p, p.link(ctx, env, 0)
}

// addSteps adds a program of the chosen steps in the three scenes.
func (p *plan) addSteps(l *launch.Linker, o *options, b launch.Build, name string) error {
	if err := l.UseSIMD(foldersOf(o.chosen)); err != nil {
		return err
	}
	p.note = cmp.Or(p.note, l.Note)
	s := source{linker: l, build: b, title: cmp.Or(name, "the steps"), command: []string{"build"}, pkg: "./" + launch.Launcher().Folder, hot: map[string][]string{}}
	s.Config = map[string]string{}
	if name != "" {
		s.Config[buildKey] = name
		if b.Toolchain != "" {
			s.Config["goversion"] = b.Toolchain
		}
		if b.Level != "" {
			s.Config["goamd64"] = b.Level
		}
		if b.Has("pgo") {
			s.Config["pgo"] = "on"
		}
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
	var groups []turns.Group
	for _, sc := range scene.Names() {
		groups = append(groups, turns.Group{Scene: sc})
	}
	if o.experiments == spheresExperiment {
		groups = nil
		for _, n := range spheres {
			groups = append(groups, turns.Group{Spheres: n})
		}
	}
	for _, g := range groups {
		sc := "scene=" + g.Scene
		if g.Spheres > 0 {
			sc = fmt.Sprint("spheres=", g.Spheres)
		}
		add := func(step steps.Step, variant, pkg string) {
			pic := turns.Picture{Variant: variant, Package: pkg, Name: "Render/" + sc, Workers: 1}
			if step.Workers {
				pic.Workers = runtime.GOMAXPROCS(0)
			}
			if o.peers != "" {
				full := common.Default()
				pic.Name, pic.Width, pic.Height, pic.Samples = "Full/"+sc, full.Width, full.Height, full.Samples
			}
			g.Subjects = append(g.Subjects, pic)
		}
		for _, step := range o.chosen {
			add(step, step.Name, step.Package())
		}
		if noise {
			add(first, launch.Again, results.Again)
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
	for _, add := range []struct {
		name string
		root string
	}{{o.against, tree}, {workingTree, root}} {
		if err := p.addSteps(&launch.Linker{Root: add.root, Home: root, Bin: bin}, o, launch.Build{}, add.name); err != nil {
			return err
		}
	}
	again := p.sources[0]
	again.Shift = 1
	again.Config = map[string]string{buildKey: o.against + againSuffix}
	p.sources = append(p.sources, again)
	p.what = step.Title() + " against " + o.against
	p.enough = func(all []*benchfmt.Result) bool { return newReport(all, o, p).narrow() }
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
			if len(s.hot) > 0 {
				group.Go(func() (err error) { places[i], err = launch.Places(ctx, binaries[i], s.hot); return err })
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
		s.Binaries, s.Places = append(s.Binaries, binaries...), append(s.Places, places...)
	}
	return nil
}

// programs returns what runs together in a launch, in turn.
func (p *plan) programs() [][]launch.Program {
	var all []launch.Program
	for _, s := range p.sources {
		all = append(all, s.Program)
	}
	if p.ring {
		return [][]launch.Program{all}
	}
	return slices.Collect(slices.Chunk(all, 1))
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

// benchmarkNameOf returns the name without GOMAXPROCS behind it.
func benchmarkNameOf(name benchfmt.Name) string {
	base, parts := name.Parts()
	text := string(base)
	for _, part := range parts {
		if part[0] != '-' {
			text += string(part)
		}
	}
	return text
}

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
	if slices.Contains(o.set, "step") {
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
	packages, err := declared(ctx, linker, folders)
	if err != nil {
		return err
	}
	p.what, p.ring = "experiments", byName
	names := map[string]bool{}
	for _, pkg := range packages {
		chosen := slices.DeleteFunc(slices.Clone(pkg.benchmarks), func(b launch.Benchmark) bool {
			name := strings.TrimPrefix(b.Name, "Benchmark")
			if byName {
				return !slices.Contains(wanted, name)
			}
			return slices.Contains(notExperiments, name)
		})
		if len(chosen) == 0 {
			continue
		}
		s := source{linker: linker, title: pkg.folder, command: []string{"test", "-c"}, pkg: "./" + pkg.folder}
		s.Test, s.Dir = true, filepath.Join(root, filepath.FromSlash(pkg.folder))
		s.Config = map[string]string{"pkg": cli.Module + "/" + pkg.folder}
		var match []string
		for _, b := range chosen {
			match = append(match, strings.TrimPrefix(b.Name, "Benchmark"))
			names[match[len(match)-1]] = true
		}
		s.Plan.Match, s.Plan.Cycles = strings.Join(match, "|"), cycles
		if s.overlay, err = linker.TestOverlay(filepath.Join(bin, fmt.Sprint("test-", len(p.sources))), pkg.folder, chosen); err != nil {
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

// tested is a package with benchmarks.
type tested struct {
	folder     string // from the root
	benchmarks []launch.Benchmark
}

// declared lists the benchmarks that the tests of packages declare in this build.
func declared(ctx context.Context, l *launch.Linker, patterns []string) ([]tested, error) {
	out, err := l.Go(ctx, append([]string{"list", "-json=Dir,TestGoFiles,XTestGoFiles"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var all []tested
	for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
		var pkg struct {
			Dir                       string
			TestGoFiles, XTestGoFiles []string
		}
		if err := decoder.Decode(&pkg); err != nil {
			return nil, err
		}
		folder, err := filepath.Rel(l.Root, pkg.Dir)
		if err != nil {
			return nil, err
		}
		t := tested{folder: filepath.ToSlash(folder)}
		for _, name := range slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles) {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && benchmarkName.MatchString(fn.Name.Name) {
					t.benchmarks = append(t.benchmarks, launch.Benchmark{Package: f.Name.Name, Name: fn.Name.Name})
				}
			}
		}
		all = append(all, t)
	}
	return all, nil
}

var benchmarkName = regexp.MustCompile(`^Benchmark[A-Z]`)

// checkOut writes the tree of a revision into a folder.
func checkOut(ctx context.Context, root, revision, dir string) error {
	git := func(args ...string) (stdout string, err error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			err = launch.Failure(ctx, err, stderr.String())
		}
		return strings.TrimSpace(string(out)), err
	}
	// A revision that begins with - is no option. With --quiet, git says nothing of one
	// that it does not know.
	tree, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{tree}")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return errors.New("there is no such revision; want one that git knows, such as HEAD, a branch or a tag")
	}
	if err != nil {
		return err
	}
	if _, err := git("archive", "--format=zip", "--output="+dir+".zip", tree); err != nil {
		return err
	}
	archive, err := zip.OpenReader(dir + ".zip")
	if err != nil {
		return err
	}
	defer archive.Close()
	return os.CopyFS(dir, archive)
}
