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

	"github.com/schollz/progressbar/v3"
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

// ReadBuild reads a build as String writes it.
func ReadBuild(text string) (b Build, ok bool) {
	m := buildPattern.FindStringSubmatch(text)
	if m == nil || m[1]+m[2] == "" {
		return b, false
	}
	return Build{m[1], m[2], m[3]}, true
}

func (b Build) String() string { return strings.Trim(b.Toolchain+"+"+b.Level, "+") + b.PGO }

// Linker makes programs of a module.
type Linker struct {
	Root string // of the module that is built
	Bin  string // folder for the binaries
	Note string // what a reader should know of the builds, or empty
	SIMD bool   // built with GOEXPERIMENT=simd
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

// UseSIMD has everything built with GOEXPERIMENT=simd if a package can make use
// of it and the toolchain has it.
func (l *Linker) UseSIMD(variants []Variant) error {
	for _, v := range variants {
		folder := strings.TrimPrefix(v.Package, cli.Module+"/")
		uses, err := toolchain.UsesSIMD(filepath.Join(l.Root, filepath.FromSlash(folder)))
		if err != nil {
			return err
		}
		if uses {
			if l.SIMD = toolchain.HasSIMD(l.Root, append(os.Environ(), "GOEXPERIMENT="+toolchain.SIMD)); !l.SIMD {
				l.Note = fmt.Sprintf("This toolchain has no GOEXPERIMENT=%s for %s: %s is built without it", toolchain.SIMD, runtime.GOARCH, folder)
			}
			break
		}
	}
	return nil
}

// Go runs a go command in the module, with the environment of a build, and returns
// what it prints.
func (l *Linker) Go(ctx context.Context, b Build, args ...string) (string, error) {
	return cli.Output(ctx, l.Root, l.Environment(b), "go", args...)
}

// Program is what one process of a launch runs, in several link orders.
type Program struct {
	Name     string // in messages
	Build    Build
	Offset   int  // of the numbers of link orders, for a program that is linked twice
	Debug    bool // linked with debugging information, in the linker's order
	Variants []Variant

	Binaries []string // by link order

	linker  *Linker
	folder  string // of the main or the tested package
	bin     string // for overlay and binaries
	profile string // of a build with pgo
}

// Variant is a package that a launcher measures.
type Variant struct {
	Name    string // of the variant, an identifier of Go
	Package string // import path
	Hot     string // functions whose places are written, with spaces between: "(*World).Hit"
	// Source is the folder whose files stand for the package's, which have no
	// assembly, or empty if the package is where its path says.
	Source string
}

// Steps returns the variants of some steps, each by the name of its package.
func Steps(chosen []steps.Step) []Variant {
	var all []Variant
	for _, s := range chosen {
		all = append(all, Variant{Name: s.Name, Package: s.Package(), Hot: strings.Join(s.Hot, " ")})
	}
	return all
}

// Again returns the variant that is a copy of a step, linked at another place: what
// it differs by is noise.
func (l *Linker) Again(step steps.Step) Variant {
	v := Steps([]steps.Step{step})[0]
	v.Name, v.Package, v.Source = "again", cli.Module+"/"+launcher+"/again", filepath.Join(l.Root, filepath.FromSlash(step.Folder()))
	return v
}

// launcher is the folder of the main package that measures. Its files are embedded, as
// the tree that is built may have others, or none.
const launcher = "scripts/internal/launch/launcher"

//go:embed launcher/main.go launcher/processors_unix.go launcher/processors_other.go
var launcherSources embed.FS

// Launcher returns the program that measures some variants. Its sources, and those
// of variants that are elsewhere, are put in place by an overlay: the tree stays as
// it is.
func (l *Linker) Launcher(name string, b Build, variants []Variant) (*Program, error) {
	var imports, entries strings.Builder
	replace := map[string]string{}
	for _, v := range variants {
		fmt.Fprintf(&imports, "\t%s %q\n", v.Name, v.Package)
		var hot []string
		for function := range strings.FieldsSeq(v.Hot) {
			hot = append(hot, strings.Replace(function, "(*", "(*"+v.Name+".", 1))
		}
		fmt.Fprintf(&entries, "\tvariants[%q] = variant{func(s *scene.Scene) common.Tracer { return %s.New(s) }, []any{%s}}\n", v.Name, v.Name, strings.Join(hot, ", "))
		files, err := filepath.Glob(filepath.Join(v.Source, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if v.Source != "" && !strings.HasSuffix(file, "_test.go") {
				replace[filepath.Join(l.Root, filepath.FromSlash(strings.TrimPrefix(v.Package, cli.Module+"/")), filepath.Base(file))] = file
			}
		}
	}
	sources := map[string]string{
		"variants.go": fmt.Sprintf("package main\n\nimport (\n\t\"raysteps/common\"\n\t\"raysteps/common/scene\"\n\n%s)\n\nfunc init() {\n%s}\n", &imports, &entries),
	}
	files, err := fs.Glob(launcherSources, "launcher/*.go")
	for _, file := range files {
		text, err := launcherSources.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sources[path.Base(file)] = string(text)
	}
	if err != nil {
		return nil, err
	}
	p := &Program{Name: name, Build: b, Variants: variants, linker: l, folder: launcher}
	return p, p.writeOverlay(replace, sources)
}

// writeOverlay writes an overlay for the go command, which replaces files and puts
// sources into the program's folder.
func (p *Program) writeOverlay(replace, sources map[string]string) (err error) {
	if p.bin, err = os.MkdirTemp(p.linker.Bin, "program-"); err != nil {
		return err
	}
	for name, text := range sources {
		file := filepath.Join(p.bin, name)
		replace[filepath.Join(p.linker.Root, filepath.FromSlash(p.folder), name)] = file
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.bin, "overlay.json"), text, 0o644)
}

// arguments are those of the go command for the binary of a link order.
func (p *Program) arguments(file string, order int) []string {
	args := []string{"build", "-trimpath", "-pgo=off", "-o", file, "-overlay", filepath.Join(p.bin, "overlay.json")}
	if p.profile != "" {
		args = append(args, "-pgo="+p.profile)
	}
	if !p.Debug {
		args = append(args, fmt.Sprint("-ldflags=-s -w -randlayout=", p.Offset+order+1))
	}
	return append(args, "./"+p.folder)
}

// Link links the program in so many more orders. It keeps all cores busy: nothing is
// measured meanwhile.
func (p *Program) Link(ctx context.Context, env *cli.Env, orders int) error {
	if p.Build.PGO != "" && p.profile == "" {
		if err := p.writeProfile(ctx, env); err != nil {
			return err
		}
	}
	bar := env.Progress(int64(orders), "building "+p.Name, progressbar.OptionSetRenderBlankState(true)) // at once
	defer bar.Finish()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for range orders {
		order := len(p.Binaries)
		file := filepath.Join(p.bin, fmt.Sprintf("%d.exe", order)) // an ending that Windows wants
		p.Binaries = append(p.Binaries, file)
		run := func() error {
			defer bar.Add(1)
			if _, err := p.linker.Go(ctx, p.Build, p.arguments(file, order)...); err != nil {
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

// Block is the size of the blocks that tracers on one core render.
var Block = image.Pt(8, 4)

// Start starts the binary of a link order.
func (p *Program) Start(ctx context.Context, order int) (*Process, error) {
	return Start(ctx, exec.CommandContext(ctx, p.Binaries[order]))
}

// writeProfile renders with an unguided build and writes the profile of it.
func (p *Program) writeProfile(ctx context.Context, env *cli.Env) error {
	unguided := *p
	unguided.Name = "unguided " + p.Name
	unguided.Build.PGO = ""
	if err := unguided.Link(ctx, env, 1); err != nil {
		return err
	}
	p.profile = filepath.Join(p.bin, "profile")
	process, err := unguided.Start(ctx, 0)
	if err != nil {
		return err
	}
	picture := common.Default()
	for _, name := range scene.Names() {
		group := turns.Pictures{Name: "Profile", Scene: "scene=" + name, Width: picture.Width, Height: picture.Height, Samples: picture.Samples, Profile: p.profile}
		if name != scene.Names()[0] {
			group.Profile = "" // one of the whole process
		}
		for _, v := range p.Variants {
			group.Tracers = append(group.Tracers, turns.Picture{Variant: v.Name, Package: v.Package, Workers: 1, Grid: 4, Block: Block, Times: 1})
		}
		subjects, err := process.Load(group)
		for cycle := range 100 {
			for i := range subjects {
				if err == nil {
					_, err = process.Take(turns.Request{Subjects: []int{i}, Cycle: uint64(cycle)})
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return process.Close()
}
