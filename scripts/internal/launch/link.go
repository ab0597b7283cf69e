package launch

import (
	"context"
	"embed" // of the launcher's source
	"encoding/json"
	"fmt"
	"image"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"raysteps/common"
	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// Build is how the compiler is told to build: a release of Go, a level or both, and
// maybe +pgo, with a profile of the steps that are measured.
type Build struct {
	Toolchain string // of Go, such as go1.27.4, or empty for the one that runs
	Level     string // GOAMD64, or empty for that of the environment
	PGO       string // +pgo, or empty
}

var buildPattern = regexp.MustCompile(`^(?:(go1\.[^+]+)\+?)?(v[1-4])?(\+pgo)?$`)

// ReadBuilds reads builds as String writes them, with commas between.
func ReadBuilds(list string) (all []Build, err error) {
	for text := range strings.SplitSeq(list, ",") {
		m := buildPattern.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil || m[1]+m[2] == "" {
			return nil, fmt.Errorf("%q is no build; want a release of Go, a level or both, and maybe +pgo, such as go1.27.4, v3 or v1+pgo", text)
		}
		all = append(all, Build{m[1], m[2], m[3]})
	}
	return all, nil
}

func (b Build) String() string { return strings.Trim(b.Toolchain+"+"+b.Level, "+") + b.PGO }

// Linker makes programs of a module.
type Linker struct {
	Root  string // of the module that is built
	Bin   string // folder for the binaries
	Note  string // what a reader should know of the builds, or empty
	SIMD  bool   // built with GOEXPERIMENT=simd
	Debug bool   // linked with debugging information, in the linker's order
}

// path returns where a package or a file of the module is, by its import path.
func (l *Linker) path(importPath string) string {
	return filepath.Join(l.Root, filepath.FromSlash(strings.TrimPrefix(importPath, cli.Module+"/")))
}

// Environment is that of the go command.
func (l *Linker) Environment(b Build) []string {
	env := os.Environ()
	if l.SIMD {
		env = append(env, "GOEXPERIMENT="+strings.Trim(os.Getenv("GOEXPERIMENT")+","+toolchain.SIMD, ","))
	}
	for key, value := range map[string]string{"GOAMD64": b.Level, "GOTOOLCHAIN": b.Toolchain} {
		if value != "" {
			env = append(env, key+"="+value)
		}
	}
	return env
}

// UseSIMD has everything built with GOEXPERIMENT=simd if the toolchain has it: the package
// in a folder can make use of it.
func (l *Linker) UseSIMD(folder string) {
	if l.SIMD = toolchain.HasSIMD(l.Root); !l.SIMD {
		l.Note = fmt.Sprintf("This toolchain has no GOEXPERIMENT=%s for %s: %s is built without it", toolchain.SIMD, runtime.GOARCH, folder)
	}
}

// Go runs a go command in the module, with the environment of a build, and returns
// what it prints.
func (l *Linker) Go(ctx context.Context, b Build, args ...string) (string, error) {
	return cli.Output(ctx, l.Root, l.Environment(b), "go", args...)
}

// launcher is the folder of the main package that measures. Its files are embedded, as
// the tree that is built may have others, or none.
const launcher = "scripts/internal/launch/launcher"

//go:embed launcher/*.go
var launcherSources embed.FS

// packagesSource is the file of a launcher that names its packages.
const packagesSource = `package main

import (
	"raysteps/common"
	"raysteps/common/scene"

%s)

func init() {
%s}
`

// Launcher returns the program that measures packages. One that ends in /again is a copy of
// a step without assembly, linked at another place: what it differs by is noise. Sources are
// put in place by an overlay: the tree stays as it is.
func (l *Linker) Launcher(ctx context.Context, env *cli.Env, name string, b Build, packages []string) (*Program, error) {
	var imports, entries string
	sources := map[string]string{} // by file
	if err := l.addSources(sources, launcher, launcherSources, "launcher"); err != nil {
		return nil, err
	}
	for _, pkg := range packages {
		folder, again := strings.CutSuffix(strings.TrimPrefix(pkg, cli.Module+"/"), "/again")
		if again {
			if err := l.addSources(sources, pkg, os.DirFS(l.Root), folder); err != nil {
				return nil, err
			}
		}
		step, _ := steps.Find(folder) // none of a lab
		if step.SIMD && !l.SIMD && l.Note == "" {
			l.UseSIMD(folder)
		}
		alias := path.Base(pkg)
		hot := strings.ReplaceAll(strings.Join(step.Hot, ", "), "(*", "(*"+alias+".")
		imports += fmt.Sprintf("\t%s %q\n", alias, pkg)
		entries += fmt.Sprintf("\tpackages[%q] = measured{func(s *scene.Scene) common.Tracer { return %s.New(s) }, []any{%s}}\n", pkg, alias, hot)
	}
	sources[l.path(launcher+"/packages.go")] = fmt.Sprintf(packagesSource, imports, entries)
	p := &Program{Name: name, Command: exec.CommandContext}
	var err error
	if p.Dir, err = os.MkdirTemp(l.Bin, "program-"); err != nil {
		return nil, err
	}
	overlay, err := WriteOverlay(p.Dir, sources)
	if err != nil {
		return nil, err
	}
	profile := "off"
	if b.PGO != "" {
		unguided, err := l.Launcher(ctx, env, "unguided "+name, Build{Toolchain: b.Toolchain, Level: b.Level}, packages)
		if err != nil {
			return nil, err
		}
		profile = filepath.Join(p.Dir, "profile")
		if err := unguided.writeProfile(ctx, env, profile, packages); err != nil {
			return nil, err
		}
	}
	p.Build = func(ctx context.Context, order int, file string) error {
		args := []string{"build", "-trimpath", "-buildvcs=false", "-pgo=" + profile, "-o", file, "-overlay", overlay}
		if !l.Debug {
			args = append(args, fmt.Sprint("-ldflags=-s -w -randlayout=", order))
		}
		_, err := l.Go(ctx, b, append(args, "./"+launcher)...)
		return err
	}
	return p, nil
}

// addSources adds the sources in a folder of a tree, but for tests, as those of a package.
func (l *Linker) addSources(sources map[string]string, pkg string, tree fs.FS, folder string) error {
	files, err := fs.Glob(tree, folder+"/*.go")
	for _, file := range files {
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(file, "_test.go") {
			sources[l.path(pkg+"/"+path.Base(file))] = string(text)
		}
	}
	return err
}

// WriteOverlay writes texts and an overlay for the go command, by which they stand in place
// of files, to a folder. It returns the name of the overlay.
func WriteOverlay(folder string, texts map[string]string) (name string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, text := range texts {
		replace[file] = filepath.Join(folder, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(replace[file], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name = filepath.Join(folder, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// Program is what one process of a launch runs, in several link orders.
type Program struct {
	Name     string   // in messages
	Dir      string   // folder for the binaries
	Binaries []string // by link order
	Offset   int      // of the numbers of link orders, for a program that is linked twice

	// Build links a binary in an order, a number above 0, and Command runs it.
	Build   func(ctx context.Context, order int, file string) error
	Command func(ctx context.Context, file string, args ...string) *exec.Cmd
}

// Link links the program in the first so many orders, unless it is. It keeps all cores
// busy: nothing is measured meanwhile.
func (p *Program) Link(ctx context.Context, env *cli.Env, orders int) error {
	bar := env.Progress(int64(orders-len(p.Binaries)), "building "+p.Name)
	defer bar.Finish()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for order := len(p.Binaries); order < orders; order++ {
		file := filepath.Join(p.Dir, fmt.Sprintf("%d.exe", order)) // an ending that Windows wants
		p.Binaries = append(p.Binaries, file)
		run := func() error {
			defer bar.Add(1)
			if err := p.Build(ctx, p.Offset+order+1, file); err != nil {
				return fmt.Errorf("building %s: %w", p.Name, err)
			}
			return nil
		}
		if order > 0 {
			group.Go(run)
		} else if err := run(); err != nil { // the others find what it compiled in the cache
			return err
		}
	}
	return group.Wait()
}

// Start starts the binary of a link order.
func (p *Program) Start(ctx context.Context, order int) (Server, error) {
	return Start(ctx, p.Command(ctx, p.Binaries[order]))
}

// Block is the size of the blocks that tracers on one core render.
var Block = image.Pt(8, 4)

// writeProfile renders all scenes and writes a CPU profile of that.
func (p *Program) writeProfile(ctx context.Context, env *cli.Env, file string, packages []string) error {
	if err := p.Link(ctx, env, 1); err != nil {
		return err
	}
	process, err := Start(ctx, p.Command(ctx, p.Binaries[0], file))
	if err != nil {
		return err
	}
	var tracers []turns.Picture
	for _, pkg := range packages {
		tracers = append(tracers, turns.Picture{Package: pkg, Workers: 1, Grid: 4, Block: Block, Times: 1})
	}
	for _, name := range scene.Names() {
		group := Group{Load: Pictures("Profile", name, tracers), Cycles: 100}
		if _, _, err := group.Take([]Server{process}); err != nil {
			return err
		}
	}
	return process.Close()
}

// Pictures is what all slices are of: the scene is large, or sphereflake=4.
func Pictures(name, scene string, tracers []turns.Picture) turns.Pictures {
	if !strings.Contains(scene, "=") {
		scene = "scene=" + scene
	}
	whole := common.Default()
	return turns.Pictures{Name: name, Scene: scene, Width: whole.Width, Height: whole.Height, Samples: whole.Samples, Tracers: tracers}
}

// CheckOut writes a revision of a repository to a folder, and returns its commit: none if
// git knows no such revision. The repository is only read: this has an index of its own.
func CheckOut(ctx context.Context, root, revision, folder string) (commit string, err error) {
	git := func(args ...string) (string, error) {
		args = append([]string{"-c", "core.splitIndex=false", "-c", "core.fsmonitor=false"}, args...)
		return cli.Output(ctx, root, append(os.Environ(), "GIT_INDEX_FILE="+folder+".index"), "git", args...)
	}
	commit, err = git("rev-parse", "--verify", "--quiet", "--short", "--end-of-options", revision+"^{commit}") // which may begin with -
	if err != nil {
		return "", err
	}
	if _, err = git("read-tree", commit); err == nil {
		_, err = git("checkout-index", "--all", "--prefix="+folder+"/")
	}
	return commit, err
}
