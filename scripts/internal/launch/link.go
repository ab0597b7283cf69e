package launch

import (
	"context"
	"embed"
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

// LauncherFolder is where the launcher's package is, from the root of the module.
const LauncherFolder = "scripts/internal/launch/launcher"

// launcherFiles are the sources of the launcher as they are now: a revision that is
// measured may have others, or none.
//
//go:embed launcher/main.go launcher/counters_linux.go launcher/counters_other.go
var launcherFiles embed.FS

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
	if b.Level != "" {
		env = append(env, "GOAMD64="+b.Level)
	}
	if b.Toolchain != "" {
		env = append(env, "GOTOOLCHAIN="+b.Toolchain)
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
		if !uses {
			continue
		}
		if l.SIMD = toolchain.HasSIMD(l.Root, append(os.Environ(), "GOEXPERIMENT="+toolchain.SIMD)); !l.SIMD {
			l.Note = fmt.Sprintf("This toolchain has no GOEXPERIMENT=%s for %s: %s is built without it", toolchain.SIMD, runtime.GOARCH, folder)
		}
		return nil
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

// Link links a program in so many orders and returns the binaries. The command
// is "build", or "test" with -c, and overlay may be empty. It keeps both halves
// of the machine busy: nothing is measured meanwhile.
func (l *Linker) Link(ctx context.Context, env *cli.Env, name string, b Build, command []string, overlay, profile, pkg string, orders int) ([]string, error) {
	bar := env.Progress(int64(orders), "building "+name, ShownAtOnce)
	defer bar.Finish()
	binaries := make([]string, orders)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n := range orders {
		file := fmt.Sprintf("%s-%d", strings.NewReplacer("/", "-", " ", "-").Replace(name), n)
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		binaries[n] = filepath.Join(l.Bin, file)
		ldflags := fmt.Sprintf("-ldflags=-w -randlayout=%d", n+1)
		if b.Has("align64") {
			ldflags += " -funcalign=64"
		}
		args := slices.Concat(command, b.arguments(profile), []string{ldflags, "-o", binaries[n]})
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		run := func() error {
			cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
			cmd.Dir, cmd.Env = l.Root, l.environment(b)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("building %s: %w", name, Failure(ctx, err, string(out)))
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

// Compile compiles a package alone.
func (l *Linker) Compile(ctx context.Context, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-pgo=off", pkg)
	cmd.Dir, cmd.Env = l.Root, l.environment(Build{})
	if out, err := cmd.CombinedOutput(); err != nil {
		return Failure(ctx, err, string(out))
	}
	return nil
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
	return Variant{name, path.Join(cli.Module, LauncherFolder, name), source}
}

// variantsFile is the source that tells the launcher what can be measured.
func variantsFile(variants []Variant, many bool) string {
	var imports, entries strings.Builder
	for _, v := range variants {
		fmt.Fprintf(&imports, "\t%s %q\n", v.Name, v.Package)
		fmt.Fprintf(&entries, "\tvariants[%q] = func(s *scene.Scene) common.Tracer { return %s.New(s) }\n", v.Name, v.Name)
	}
	if many {
		entries.WriteString("\tmanySpheres = scene.Many\n")
	}
	return fmt.Sprintf("package main\n\nimport (\n\t\"raysteps/common\"\n\t\"raysteps/common/scene\"\n\n%s)\n\nfunc init() {\n%s}\n", &imports, &entries)
}

// Overlay puts the launcher's sources for some variants in place, and theirs
// where they are elsewhere, and returns the file for the go command's flag of
// that name. The tree itself stays as it is.
func (l *Linker) Overlay(dir string, variants []Variant, many bool) (string, error) {
	replace := map[string]string{}
	sources := map[string][]byte{"variants.go": []byte(variantsFile(variants, many))}
	for _, name := range []string{"main.go", "counters_linux.go", "counters_other.go"} {
		text, err := launcherFiles.ReadFile("launcher/" + name)
		if err != nil {
			return "", err
		}
		sources[name] = text
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for name, text := range sources {
		file := filepath.Join(dir, name)
		replace[filepath.Join(l.Root, filepath.FromSlash(LauncherFolder), name)] = file
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return "", err
		}
	}
	for _, v := range variants {
		if v.Source == "" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(v.Source, "*.go"))
		if err != nil {
			return "", err
		}
		folder := filepath.Join(l.Root, filepath.FromSlash(strings.TrimPrefix(v.Package, cli.Module+"/")))
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				replace[filepath.Join(folder, filepath.Base(file))] = file
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o644)
}

// WriteProfile renders with a launcher for a while and writes a CPU profile of it, in
// which each step has the same time.
func WriteProfile(ctx context.Context, binary, file string, slots []Slot) error {
	p, err := StartProcess(ctx, binary)
	if err != nil {
		return err
	}
	defer p.Close()
	for _, s := range slots {
		if _, _, _, err := p.Prepare(s); err != nil {
			return err
		}
	}
	_, err = p.Ask("profile %d %s", (300 * time.Millisecond).Nanoseconds(), file)
	return err
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
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			// Goroutines and their frames follow. Of a lab, the first place is told.
			if place := labFrame.FindStringSubmatch(text); place != nil {
				line += " at " + place[1]
			}
			return fmt.Errorf("%w: %s", err, line)
		}
		lines = append(lines, line)
	}
	if len(lines) > most {
		lines = append(lines[:most], "...")
	}
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(lines, "; "))
}
