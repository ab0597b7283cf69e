package launch

import (
	"context"
	_ "embed" // for the launcher's source
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// Again is the variant that is a copy of the first step, linked at another
// place: what it differs by is noise.
const Again = "again"

// Build is how the compiler is told to build.
type Build struct {
	Toolchain string // of Go, such as go1.27.4, or empty for the one that runs
	Level     string // GOAMD64, or empty for that of the environment
	Options   string // each behind a +: those of buildPattern
}

// buildPattern is how a build is written: a release of Go, a level or both, and
// options.
//
//	pgo       with a profile of the steps that are measured
//	nobounds  without bounds checks in the steps
//	align64   with functions at multiples of 64 bytes, in place of 32
var buildPattern = regexp.MustCompile(`^(?:(go1\.[^+]+)\+?)?(v[1-4])?((?:\+(?:pgo|nobounds|align64))*)$`)

// ReadBuild reads a build as String writes it.
func ReadBuild(text string) (b Build, ok bool) {
	m := buildPattern.FindStringSubmatch(text)
	if m == nil || m[1]+m[2] == "" {
		return b, false
	}
	return Build{m[1], m[2], m[3]}, true
}

func (b Build) String() string { return strings.Trim(b.Toolchain+"+"+b.Level, "+") + b.Options }

// Has reports whether the build has an option, given without its +.
func (b Build) Has(option string) bool { return strings.Contains(b.Options, "+"+option) }

// Linker builds programs, each in as many link orders as it is asked for.
type Linker struct {
	Root string // of the module that is built
	Home string // of the module that the launcher and its loop are taken from, or empty for Root
	Bin  string // folder for the binaries
	Note string // what a reader should know of the builds, or empty
	SIMD bool   // built with GOEXPERIMENT=simd
}

// environment is that of the go command.
func (l *Linker) environment(b Build) []string {
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
func (l *Linker) UseSIMD(folders []string) error {
	for _, folder := range folders {
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

// arguments are those of go build and go test for a build.
func (b Build) arguments(profile string) []string {
	args := []string{"-trimpath", "-pgo=off"}
	if b.Has("pgo") {
		args[1] = "-pgo=" + profile
	}
	if b.Has("nobounds") {
		args = append(args, "-gcflags=raysteps/step...=-B", "-gcflags=raysteps/beyond/...=-B")
	}
	return args
}

// ShownAtOnce has a bar show what is being done before the first part of it is.
var ShownAtOnce = progressbar.OptionSetRenderBlankState(true)

// Link links a program in so many orders, the first of them numbered from, and
// returns the binaries. The command
// is "build", or "test" with -c, and overlay may be empty. It keeps both halves
// of the machine busy: nothing is measured meanwhile.
func (l *Linker) Link(ctx context.Context, env *cli.Env, name string, b Build, command []string, overlay, profile, pkg string, from, orders int) ([]string, error) {
	bar := env.Progress(int64(orders), "building "+name, ShownAtOnce)
	defer bar.Finish()
	binaries := make([]string, orders)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n := range orders {
		file := fmt.Sprintf("%s-%d", strings.NewReplacer("/", "-", " ", "-").Replace(name), from+n)
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		binaries[n] = filepath.Join(l.Bin, file)
		ldflags := fmt.Sprintf("-ldflags=-w -randlayout=%d", from+n+1)
		if b.Has("align64") {
			ldflags += " -funcalign=64"
		}
		args := slices.Concat(command, b.arguments(profile), []string{ldflags, "-o", binaries[n]})
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		run := func() error {
			if _, err := l.command(ctx, b, append(args, pkg)); err != nil {
				return fmt.Errorf("building %s: %w", name, err)
			}
			bar.Add(1)
			return nil
		}
		if n == 0 {
			// The others find what it compiled in the cache, and its failure is the
			// only one to report.
			if err := run(); err != nil {
				return nil, err
			}
			continue
		}
		group.Go(run)
	}
	return binaries, group.Wait()
}

// Go runs a go command in the module, with the environment of builds, and returns
// what it prints.
func (l *Linker) Go(ctx context.Context, args ...string) (string, error) {
	return l.command(ctx, Build{}, args)
}

func (l *Linker) command(ctx context.Context, b Build, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = l.Root, l.environment(b)
	return Output(ctx, cmd)
}

// Output runs a command and returns what it prints. The error is that of [Failure].
func Output(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", Failure(ctx, err, stderr.String()+stdout.String())
	}
	return stdout.String(), nil
}

// Variant is a package that a launcher measures.
type Variant struct {
	Name    string // of the variant, an identifier of Go
	Package string // import path
	// Source is the folder whose files stand for the package's, which have no
	// assembly, or empty if the package is where its path says.
	Source string
}

// Steps returns the variants of some steps, each by the name of its package.
func Steps(chosen []steps.Step) []Variant {
	var all []Variant
	for _, s := range chosen {
		all = append(all, Variant{Name: s.Name, Package: s.Package()})
	}
	return all
}

// Copy returns a variant whose files are those of a folder, in a package of its
// own.
func Copy(name, source string) Variant {
	return Variant{name, path.Join(cli.Module, Launcher().Folder, name), source}
}

// variantsFile is the source that tells the launcher what can be measured.
func variantsFile(variants []Variant) string {
	var imports, entries strings.Builder
	for _, v := range variants {
		fmt.Fprintf(&imports, "\t%s %q\n", v.Name, v.Package)
		fmt.Fprintf(&entries, "\tvariants[%q] = func(s *scene.Scene) common.Tracer { return %s.New(s) }\n", v.Name, v.Name)
	}
	return fmt.Sprintf("package main\n\nimport (\n\t\"raysteps/common\"\n\t\"raysteps/common/scene\"\n\n%s)\n\nfunc init() {\n%s}\n", &imports, &entries)
}

// Main is a main package that is linked with variants, such as the launcher. It
// declares variants, a map of constructors by name.
type Main struct {
	Folder string // from the root of the module
	Source string // of its file main.go: the tree that is built may have another, or none
}

// Launcher is the main package that measures.
func Launcher() Main { return Main{"scripts/internal/launch/launcher", launcherSource} }

//go:embed launcher/main.go
var launcherSource string

// Overlay puts the sources of a main package for some variants in place, and theirs
// where they are elsewhere, and returns the file for the go command's flag of
// that name. The tree itself stays as it is.
func (l *Linker) Overlay(dir string, main Main, variants []Variant) (string, error) {
	sources := map[string]string{
		main.Folder + "/main.go":     main.Source,
		main.Folder + "/variants.go": variantsFile(variants),
	}
	folders := map[string]string{}
	for _, v := range variants {
		if v.Source != "" {
			folders[strings.TrimPrefix(v.Package, cli.Module+"/")] = v.Source
		}
	}
	return l.writeOverlay(dir, sources, folders)
}

// TestOverlay adds a test to the package in a folder that lets its benchmarks take
// turns, and returns the file for -overlay.
func (l *Linker) TestOverlay(dir, folder string, benchmarks []Benchmark) (string, error) {
	sources := map[string]string{}
	byPackage := map[string][]string{}
	for _, b := range benchmarks {
		byPackage[b.Package] = append(byPackage[b.Package], fmt.Sprintf("\t\t{Name: %q, F: %s},\n", b.Name, b.Name))
	}
	for pkg, entries := range byPackage {
		sources[folder+"/turns_"+pkg+"_test.go"] = fmt.Sprintf("package %s\n\nimport (\n\t\"testing\"\n\n\t\"raysteps/common/turns/benchturns\"\n)\n\nfunc TestTakeTurns(t *testing.T) {\n\terr := benchturns.Run([]testing.InternalBenchmark{\n%s\t})\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n", pkg, strings.Join(entries, ""))
	}
	return l.writeOverlay(dir, sources, map[string]string{})
}

// writeOverlay writes sources into a folder, and an overlay that puts them in
// place, and in the place of folders the files of others.
func (l *Linker) writeOverlay(dir string, sources, folders map[string]string) (string, error) {
	if l.Home != "" && l.Home != l.Root {
		for _, folder := range []string{"common/turns", "common/turns/benchturns"} {
			folders[folder] = filepath.Join(l.Home, filepath.FromSlash(folder))
		}
	}
	replace := map[string]string{}
	for folder, source := range folders {
		files, err := filepath.Glob(filepath.Join(source, "*.go"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				replace[filepath.Join(l.Root, filepath.FromSlash(folder), filepath.Base(file))] = file
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for name, text := range sources {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		replace[filepath.Join(l.Root, filepath.FromSlash(name))] = file
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o644)
}

// Benchmark is one that the tests of a package declare.
type Benchmark struct {
	Package string // as its file says, which may end in _test
	Name    string // with Benchmark
}

// labFrame is a place in the source of a lab in what the runtime prints of a
// panic.
var labFrame = regexp.MustCompile(`(?m)^\t.*\b(lab/\w+/\w+\.(?:go|s):\d+)`)

// Failure says in one line why a command failed. A terminal sends Ctrl-C to the
// command, too, and the command may be gone before the context is cancelled: so
// it waits for that a moment.
func Failure(ctx context.Context, err error, text string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(200 * time.Millisecond):
	}
	const most = 4
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			// Goroutines and their frames follow. Of a lab, the first place is told.
			if place := labFrame.FindStringSubmatch(text); place != nil {
				line += " at " + place[1]
			}
			return fmt.Errorf("%w: %s", err, line)
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > most {
		lines = append(lines[:most], "...")
	}
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(lines, "; "))
}
