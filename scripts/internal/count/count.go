// Package count counts what a processor executes for a ray: instructions, loads,
// stores, branches and indirect jumps. Valgrind executes a program one
// instruction after the other and counts them, so that counts are exact, need no
// quiet machine and are the same on every machine with the same compiler; only
// mispredicted branches come from a model of a predictor. A count is not a cost:
// an instruction that nothing waits for takes no time.
//
// What is counted is a program that renders an image many times, less the same
// program that does so once, over the rays of the difference: what it does once
// does not count.
package count

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// counterFolder is where the program that renders has its package, from the root
// of a module.
const counterFolder = "scripts/internal/count/counter"

// counterMain is the program as it is now: a revision that is counted may have
// another, or none.
//
//go:embed counter/main.go
var counterMain []byte

// units are what is counted, each with the sum of cachegrind's events that it is.
var units = []struct {
	name   string
	events []string
}{
	{"instructions/ray", []string{"Ir"}},
	{"loads/ray", []string{"Dr"}},
	{"stores/ray", []string{"Dw"}},
	{"branches/ray", []string{"Bc"}},
	{"indirect/ray", []string{"Bi"}},
	{"mispredicted/ray", []string{"Bcm", "Bim"}},
}

// Units returns the units of a Result's values, in their order. All are exact
// but the last, which is a model's.
func Units() []string {
	var names []string
	for _, u := range units {
		names = append(names, u.name)
	}
	return names
}

// Result is what one package executes in one scene.
type Result struct {
	Package string    // import path
	Scene   string    // "large", or "spheres=100"
	Kernel  string    // as the package names it, or empty: valgrind knows no AVX-512
	Rays    int64     // over which it was counted
	PerRay  []float64 // in the order of Units
}

// Value returns the count of a unit, such as "loads/ray".
func (r Result) Value(unit string) float64 { return r.PerRay[slices.Index(Units(), unit)] }

// Available returns an error that says what to do if nothing can be counted here.
func Available() error {
	if _, err := exec.LookPath("valgrind"); err == nil {
		return nil
	}
	switch runtime.GOOS {
	case "linux":
		return errors.New("valgrind is not installed, which counts instructions; apt-get install valgrind, or the like")
	default:
		return fmt.Errorf("valgrind, which counts instructions, does not run on %s/%s; the published counts hold for every amd64 machine", runtime.GOOS, runtime.GOARCH)
	}
}

// Version returns the version of valgrind.
func Version(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "valgrind", "--version").Output()
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "valgrind-"), err
}

// Measure counts steps in the three scenes.
func Measure(ctx context.Context, env *cli.Env, root string, chosen []steps.Step) ([]Result, error) {
	var packages []string
	for _, s := range chosen {
		packages = append(packages, s.Package())
	}
	return Packages(ctx, env, root, packages, scene.Names())
}

// Packages counts packages of the module at root, which are like the steps'
// (func New(*scene.Scene) *Tracer), in some scenes. The module may be another
// revision of this one, or a copy with a reader's package. Nothing is written
// there. The results are in the order of the packages, and of their scenes.
func Packages(ctx context.Context, env *cli.Env, root string, packages, scenes []string) ([]Result, error) {
	return packagesLinked(ctx, env, root, packages, scenes, "")
}

func packagesLinked(ctx context.Context, env *cli.Env, root string, packages, scenes []string, ldflags string) ([]Result, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "raysteps-count-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bar := env.Progress(int64(len(packages)*len(scenes)), "counting")
	defer bar.Finish()
	programs, err := build(ctx, root, dir, packages, scenes, ldflags)
	if err != nil {
		return nil, err
	}

	results := make([]Result, len(packages)*len(scenes))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range results {
		pkg, sc := packages[i/len(scenes)], scenes[i%len(scenes)]
		group.Go(func() error {
			r, err := difference(ctx, programs[pkg], filepath.Join(dir, fmt.Sprint(i)), pkg, sc)
			if err != nil {
				return fmt.Errorf("counting %s in the %s scene: %w", pkg, sc, err)
			}
			results[i] = r
			bar.Add(1)
			return nil
		})
	}
	return results, group.Wait()
}

// build builds the counter and returns the program for each package. Those that
// make use of GOEXPERIMENT=simd have a program of their own, so that the others
// are built as they are without it.
func build(ctx context.Context, root, dir string, packages, scenes []string, ldflags string) (map[string]string, error) {
	programs := map[string]string{}
	byExperiment := map[string][]string{}
	for _, pkg := range packages {
		experiment := ""
		uses, err := toolchain.UsesSIMD(filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(pkg, cli.Module+"/"))))
		if err != nil {
			return nil, err
		}
		if uses && toolchain.HasSIMD(root, append(os.Environ(), "GOEXPERIMENT="+toolchain.SIMD)) {
			experiment = toolchain.SIMD
		}
		byExperiment[experiment] = append(byExperiment[experiment], pkg)
		programs[pkg] = filepath.Join(dir, "counter"+experiment)
	}
	many := slices.ContainsFunc(scenes, func(s string) bool { return strings.HasPrefix(s, "spheres=") })
	for experiment, packages := range byExperiment {
		overlay, err := overlay(root, filepath.Join(dir, "overlay"+experiment), packages, many)
		if err != nil {
			return nil, err
		}
		args := []string{"build", "-pgo=off", "-trimpath", "-overlay", overlay, "-o", programs[packages[0]]}
		if ldflags != "" {
			args = append(args, "-ldflags="+ldflags)
		}
		cmd := exec.CommandContext(ctx, "go", append(args, "./"+counterFolder)...)
		cmd.Dir, cmd.Env = root, os.Environ()
		if experiment != "" {
			cmd.Env = append(cmd.Env, "GOEXPERIMENT="+experiment)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building what is counted: %w", failure(ctx, err, out))
		}
	}
	return programs, nil
}

// overlay writes the counter's sources for some packages and returns the file for
// the go command's flag of that name.
func overlay(root, dir string, packages []string, many bool) (string, error) {
	var imports, entries strings.Builder
	for i, pkg := range packages {
		fmt.Fprintf(&imports, "\tp%d %q\n", i, pkg)
		fmt.Fprintf(&entries, "\tpackages[%q] = func(s *scene.Scene) common.Tracer { return p%d.New(s) }\n", pkg, i)
	}
	if many {
		entries.WriteString("\tmanySpheres = scene.Many\n")
	}
	list := fmt.Sprintf("package main\n\nimport (\n\t\"raysteps/common\"\n\t\"raysteps/common/scene\"\n\n%s)\n\nfunc init() {\n%s}\n", &imports, &entries)

	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range map[string][]byte{"main.go": counterMain, "packages.go": []byte(list)} {
		file := filepath.Join(dir, name)
		replace[filepath.Join(root, filepath.FromSlash(path.Join(counterFolder, name)))] = file
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, text, 0o644)
}

// enough is how many instructions are counted, at least: what a process does
// once differs by some thousands, as the system puts its heap now here, now there.
const enough = 100e6

// difference counts one render and many, and returns what a ray of the others
// takes.
func difference(ctx context.Context, program, file, pkg, sceneName string) (Result, error) {
	one, first, err := count(ctx, program, file, pkg, sceneName, 1)
	if err != nil {
		return Result{}, err
	}
	renders := 2 + int(enough/first["Ir"])
	r, events, err := count(ctx, program, file, pkg, sceneName, renders)
	if err != nil {
		return Result{}, err
	}
	if r.Rays -= one.Rays; r.Rays <= 0 {
		return Result{}, fmt.Errorf("%d renders trace no more rays than one", renders)
	}
	for _, u := range units {
		sum := 0.0
		for _, event := range u.events {
			sum += events[event] - first[event]
		}
		r.PerRay = append(r.PerRay, max(0, sum/float64(r.Rays)))
	}
	return r, nil
}

// count renders under valgrind and returns the rays and the counts of events of
// the whole process.
func count(ctx context.Context, program, file, pkg, sceneName string, renders int) (Result, map[string]float64, error) {
	// The sizes of the caches do not matter, but those of some virtual machines are
	// more than cachegrind takes.
	cmd := exec.CommandContext(ctx, "valgrind", "--tool=cachegrind", "--branch-sim=yes", "--cache-sim=yes",
		"--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64",
		"--cachegrind-out-file="+file, program, pkg, sceneName, strconv.Itoa(renders))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return Result{}, nil, failure(ctx, err, stderr.Bytes())
	}
	r := Result{Package: pkg, Scene: sceneName}
	if _, err := fmt.Sscan(stdout.String(), &r.Rays, &r.Kernel); err != nil {
		return r, nil, fmt.Errorf("the program printed %q; want its rays and its kernel", &stdout)
	}
	r.Kernel = strings.Trim(r.Kernel, "-")
	text, err := os.ReadFile(file)
	if err != nil {
		return r, nil, err
	}
	events, err := parse(text)
	return r, events, err
}

// scheduler matches the files of the runtime that work by the clock, such as the
// thread that interrupts goroutines each ten milliseconds, and those that look for
// memory where it happens to be: the slower the machine, the more they do. What a
// package allocates, copies and clears does count.
var scheduler = regexp.MustCompile(`runtime/(proc|lock_\w+|sema|time\w*|netpoll\w*|signal_\w+|stack|mpage\w+|os_linux\w*|sys_linux_\w+|futex)\.(go|s)$`)

// parse returns the sums of a file of cachegrind, without what scheduler matches.
func parse(text []byte) (map[string]float64, error) {
	var names []string
	var sums []float64
	counts := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "events: "); ok {
			names = strings.Fields(rest)
			sums = make([]float64, len(names))
		} else if file, ok := strings.CutPrefix(line, "fl="); ok {
			counts = !scheduler.MatchString(file)
		} else if line != "" && line[0] >= '0' && line[0] <= '9' {
			// The number of a line of source, and its events.
			fields := strings.Fields(line)[1:]
			if len(fields) > len(names) {
				return nil, fmt.Errorf("a line of cachegrind's file has %d counts of %d events: %s", len(fields), len(names), line)
			}
			for i, field := range fields {
				n, err := strconv.ParseFloat(field, 64)
				if err != nil {
					return nil, fmt.Errorf("cachegrind's count of %s: %w", names[i], err)
				}
				if counts {
					sums[i] += n
				}
			}
		}
	}
	events := map[string]float64{}
	for i, name := range names {
		events[name] = sums[i]
	}
	for _, u := range units {
		for _, event := range u.events {
			if _, ok := events[event]; !ok {
				return nil, fmt.Errorf("cachegrind counted no %s; it has %q", event, names)
			}
		}
	}
	return events, nil
}

// valgrindLine is a line that is valgrind's and not the program's.
var valgrindLine = regexp.MustCompile(`^(==|--)\d+(==|--)`)

// failure says in one line why a command failed.
func failure(ctx context.Context, err error, text []byte) error {
	// A terminal sends Ctrl-C to the command, too, which may end before the context
	// is canceled.
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(200 * time.Millisecond):
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !valgrindLine.MatchString(line) {
			lines = append(lines, line)
		}
		if len(lines) == 3 {
			break
		}
	}
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(lines, "; "))
}

// Write writes results as benchmark lines, under the units' assumptions and the
// version of valgrind.
func Write(w io.Writer, version string, all []Result) error {
	out := benchfmt.NewWriter(w)
	for _, unit := range Units() {
		if err := out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "assume"}, OrigUnit: unit, Value: "exact"}); err != nil {
			return err
		}
	}
	for _, r := range all {
		record := benchfmt.Result{Name: benchfmt.Name("Count/scene=" + r.Scene), Iters: 1}
		if strings.Contains(r.Scene, "=") {
			record.Name = benchfmt.Name("Count/" + r.Scene)
		}
		for _, c := range [][2]string{{"valgrind", version}, {"pkg", r.Package}, {"kernel", r.Kernel}} {
			if c[1] != "" {
				record.Config = append(record.Config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
			}
		}
		for i, unit := range Units() {
			value, err := strconv.ParseFloat(strconv.FormatFloat(r.PerRay[i], 'f', decimals(r.PerRay[i]), 64), 64)
			if err != nil {
				return err
			}
			record.Values = append(record.Values, benchfmt.Value{Value: value, Unit: unit})
		}
		if err := out.Write(&record); err != nil {
			return err
		}
	}
	return nil
}

// decimals is how many digits of a count repeat in the next one.
func decimals(x float64) int {
	switch {
	case x >= 1000:
		return 0
	case x >= 10:
		return 1
	}
	return 2
}
