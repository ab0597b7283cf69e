package main

import (
	"archive/zip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
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

// again is the variant that is a copy of the first step, linked at another
// place: what it differs by is noise.
const again = "again"

// launcherDir is where the launcher's package is, from the root of the module.
const launcherDir = "scripts/bench/launcher"

//go:embed launcher/main.go
var launcherMain []byte

//go:embed launcher/counters_linux.go
var launcherCounters []byte

//go:embed launcher/counters_other.go
var launcherNoCounters []byte

// build is how the compiler is told to build.
type build struct {
	toolchain    string // of Go, such as go1.27.4, or empty for the one that runs
	level        string // GOAMD64, or empty for that of the environment
	pgo          bool   // with a profile of the steps that are measured
	unchecked    bool   // without bounds checks in the steps
	instrumented bool   // with the instruments compiled in, none of which measures
	aligned      bool   // with functions at multiples of 64 bytes, in place of 32
}

func (b build) String() string {
	name := b.level
	if b.toolchain != "" {
		name = b.toolchain
		if b.level != "" {
			name += "+" + b.level
		}
	}
	for _, part := range []struct {
		set  bool
		name string
	}{{b.pgo, "pgo"}, {b.unchecked, "nobounds"}, {b.instrumented, instrument}, {b.aligned, "align64"}} {
		if part.set {
			name += "+" + part.name
		}
	}
	return name
}

// linker builds programs, each in as many link orders as it is asked for.
type linker struct {
	root string // of the module that is built
	bin  string // folder for the binaries
	note string // what a reader should know of the builds, or empty
	simd bool   // built with GOEXPERIMENT=simd
}

// environment is that of the go command.
func (l *linker) environment(b build) []string {
	env := os.Environ()
	if l.simd {
		env = append(env, "GOEXPERIMENT="+strings.Join(append(experiments(), toolchain.SIMD), ","))
	}
	if b.level != "" {
		env = append(env, "GOAMD64="+b.level)
	}
	if b.toolchain != "" {
		env = append(env, "GOTOOLCHAIN="+b.toolchain)
	}
	return env
}

// experiments are those of the toolchain that the user has chosen.
func experiments() []string {
	return slices.DeleteFunc(strings.Split(os.Getenv("GOEXPERIMENT"), ","), func(s string) bool { return s == "" || s == toolchain.SIMD })
}

// useSIMD has everything built with GOEXPERIMENT=simd if a package can make use
// of it and the toolchain has it.
func (l *linker) useSIMD(folders []string) error {
	for _, folder := range folders {
		uses, err := toolchain.UsesSIMD(filepath.Join(l.root, filepath.FromSlash(folder)))
		if err != nil {
			return err
		}
		if !uses {
			continue
		}
		if l.simd = toolchain.HasSIMD(l.root, append(os.Environ(), "GOEXPERIMENT="+toolchain.SIMD)); !l.simd {
			l.note = fmt.Sprintf("This toolchain has no GOEXPERIMENT=%s for %s: %s is built without it", toolchain.SIMD, runtime.GOARCH, folder)
		}
		return nil
	}
	return nil
}

// arguments are those of go build and go test for a build.
func (b build) arguments(profile string) []string {
	args := []string{"-trimpath", "-pgo=off"}
	if b.pgo {
		args[1] = "-pgo=" + profile
	}
	if b.unchecked {
		args = append(args, "-gcflags=raysteps/step...=-B", "-gcflags=raysteps/beyond/...=-B")
	}
	if b.instrumented {
		args = append(args, "-tags="+instrument)
	}
	return args
}

// checkTags returns an error if a build and the GOFLAGS of the user both choose
// build tags: the go command takes those of the build alone.
func (l *linker) checkTags(ctx context.Context, builds []build) error {
	if !slices.ContainsFunc(builds, func(b build) bool { return b.instrumented }) {
		return nil
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOFLAGS") // of the environment, or of go env -w
	cmd.Dir = l.root
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go env GOFLAGS: %w", failure(ctx, err, ""))
	}
	if flags := strings.TrimSpace(string(out)); strings.Contains(flags, "-tags") {
		return cli.Misuse("GOFLAGS is %s, and +%s would replace its tags; want it without", flags, instrument)
	}
	return nil
}

// shownAtOnce has a bar show what is being done before the first part of it is.
var shownAtOnce = progressbar.OptionSetRenderBlankState(true)

// link links a program in so many orders and returns the binaries. The command
// is "build", or "test" with -c, and overlay may be empty. It keeps both halves
// of the machine busy: nothing is measured meanwhile.
func (l *linker) link(ctx context.Context, env *cli.Env, name string, b build, command []string, overlay, profile, pkg string, orders int) ([]string, error) {
	bar := env.Progress(int64(orders), "building "+name, shownAtOnce)
	defer bar.Finish()
	binaries := make([]string, orders)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n := range orders {
		file := fmt.Sprintf("%s-%d", strings.NewReplacer("/", "-", " ", "-").Replace(name), n)
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		binaries[n] = filepath.Join(l.bin, file)
		ldflags := fmt.Sprintf("-ldflags=-w -randlayout=%d", n+1)
		if b.aligned {
			ldflags += " -funcalign=64"
		}
		args := slices.Concat(command, b.arguments(profile), []string{ldflags, "-o", binaries[n]})
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		run := func() error {
			cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
			cmd.Dir, cmd.Env = l.root, l.environment(b)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("building %s: %w", name, failure(ctx, err, string(out)))
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

// variantsFile is the source that tells the launcher what can be measured.
func variantsFile(chosen []steps.Step, copied, many bool) string {
	var imports, entries strings.Builder
	entry := func(name, path string) {
		fmt.Fprintf(&imports, "\t%s %q\n", name, path)
		fmt.Fprintf(&entries, "\tvariants[%q] = func(s *scene.Scene) common.Tracer { return %s.New(s) }\n", name, name)
	}
	for _, s := range chosen {
		entry(s.Name, s.Package())
	}
	if copied {
		entry(again, path.Join(cli.Module, launcherDir, again))
	}
	if many {
		entries.WriteString("\tmanySpheres = scene.Many\n")
	}
	return fmt.Sprintf("package main\n\nimport (\n\t\"raysteps/common\"\n\t\"raysteps/common/scene\"\n\n%s)\n\nfunc init() {\n%s}\n", &imports, &entries)
}

// overlay puts the launcher's sources for some steps in place, and the copy of
// the first step if it is wanted, and returns the file for the go command's flag
// of that name. The tree itself stays as it is.
func (l *linker) overlay(dir string, chosen []steps.Step, copied, many bool) (string, error) {
	replace := map[string]string{}
	put := func(name string, text []byte) error {
		file := filepath.Join(dir, name)
		replace[filepath.Join(l.root, filepath.FromSlash(launcherDir), name)] = file
		return os.WriteFile(file, text, 0o644)
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), put("main.go", launcherMain), put("counters_linux.go", launcherCounters),
		put("counters_other.go", launcherNoCounters), put("variants.go", []byte(variantsFile(chosen, copied, many)))); err != nil {
		return "", err
	}
	if copied {
		files, err := filepath.Glob(filepath.Join(l.root, steps.All()[0].Name, "*.go"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				replace[filepath.Join(l.root, filepath.FromSlash(launcherDir), again, filepath.Base(file))] = file
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

// writeProfile renders with a launcher for a while and writes a CPU profile of it, in
// which each step has the same time.
func writeProfile(ctx context.Context, binary, file string, slots []slot) error {
	p, err := startProcess(ctx, binary)
	if err != nil {
		return err
	}
	defer p.close()
	for _, s := range slots {
		if _, err := p.ask("prepare %s %s %d %d %d %d", s.variant, s.scene, s.settings.Width, s.settings.Height, s.settings.Samples, s.settings.Workers); err != nil {
			return err
		}
	}
	if _, err := p.ask("profile %s", file); err != nil {
		return err
	}
	for i := range slots {
		if _, err := p.ask("turn %d %d", i, (300 * time.Millisecond).Nanoseconds()); err != nil {
			return err
		}
	}
	_, err = p.ask("profile %s", file)
	return err
}

// checkOut writes the tree of a revision into a folder.
func checkOut(ctx context.Context, root, revision, dir string) error {
	cmd := exec.CommandContext(ctx, "git", "archive", "--format=zip", "--output="+dir+".zip", revision+"^{tree}")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return failure(ctx, err, string(out))
	}
	archive, err := zip.OpenReader(dir + ".zip")
	if err != nil {
		return err
	}
	defer archive.Close()
	return os.CopyFS(dir, archive)
}

// failure says in one line why a command failed. A terminal sends Ctrl-C to the
// command, too, and the command may be gone before the context is cancelled: so
// it waits for that a moment.
func failure(ctx context.Context, err error, text string) error {
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
			return fmt.Errorf("%w: %s", err, line) // goroutines and their frames follow
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
