package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/sys/atomicwriter"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/machine"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// layouts is how many times each binary is linked, with its functions in
// another order each time; the rounds take turns. Where in a cache line a hot
// loop begins can make a difference of a tenth, and a function added elsewhere
// moves it. So the interval of a figure has to cover that luck, too.
const layouts = 4

// target is a package whose benchmarks are measured.
type target struct {
	name   string // "step04"
	dir    string // its folder; benchmarks run there, as under go test
	binary string
	filter string // regular expression of the benchmarks
}

// plan is what a run does.
type plan struct {
	root    string
	options options
	targets []target
	machine []benchfmt.Config
	save    string // folder for pictures, or empty
	again   bool   // measure the first target a second time

	// start runs the binary of a target to its end and returns its standard
	// output. The error says in a line why it failed.
	start func(ctx context.Context, t target, args []string) ([]byte, error)
}

func newPlan(root, bin string, o options, chosen []steps.Step) (*plan, error) {
	p := &plan{root: root, options: o, start: start}
	var err error
	if p.machine, err = machine.Describe(); err != nil {
		return nil, err
	}
	names := []string{}
	if o.experiments && o.step == "" && !o.latest && !o.single {
		if names, err = packagesWithBenchmarks(root); err != nil {
			return nil, err
		}
	} else {
		for _, s := range chosen {
			names = append(names, s.Name)
		}
		p.again = !o.experiments && chosen[0].Number == 1
	}
	if len(names) == 0 {
		return nil, errors.New("no package has a benchmark besides BenchmarkRender")
	}
	for _, name := range names {
		binary := strings.ReplaceAll(name, "/", "-") + ".test"
		if runtime.GOOS == "windows" {
			binary += ".exe"
		}
		p.targets = append(p.targets, target{
			name:   name,
			dir:    filepath.Join(root, filepath.FromSlash(name)),
			binary: filepath.Join(bin, binary),
			filter: "^BenchmarkRender$",
		})
	}
	if o.save {
		// The benchmarks run in folders of their own.
		if p.save, err = filepath.Abs(filepath.Join(o.home, "pictures")); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// packagesWithBenchmarks lists the folders, from the root, whose tests declare
// a benchmark besides BenchmarkRender.
func packagesWithBenchmarks(root string) ([]string, error) {
	var stderr strings.Builder
	cmd := exec.Command("go", "list", "-f", `{{.Dir}}{{range .TestGoFiles}}|{{.}}{{end}}{{range .XTestGoFiles}}|{{.}}{{end}}`, "./...")
	cmd.Dir = root
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list ./...: %w", explain(err, "", stderr.String()))
	}
	declares := regexp.MustCompile(`(?m)^func Benchmark(\w*)\(`)
	var names []string
	for line := range strings.Lines(string(out)) {
		dir, files, _ := strings.Cut(strings.TrimSpace(line), "|")
		for file := range strings.SplitSeq(files, "|") {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil || file == "" {
				continue
			}
			own := slices.ContainsFunc(declares.FindAllStringSubmatch(string(text), -1),
				func(match []string) bool { return match[1] != "Render" })
			if rel, err := filepath.Rel(root, dir); own && err == nil {
				names = append(names, filepath.ToSlash(rel))
				break
			}
		}
	}
	return names, nil
}

// layouts is how many binaries of a target the rounds make use of.
func (p *plan) layouts() int { return max(1, min(layouts, p.options.rounds)) }

// layout returns the target with the n-th of its binaries.
func (t target) layout(n int) target {
	dir, name := filepath.Split(t.binary)
	t.binary = filepath.Join(dir, fmt.Sprintf("%d-%s", n, name))
	return t
}

// build compiles every target and links it for each layout, and finds out
// which benchmarks are experiments.
func (p *plan) build(ctx context.Context, env *cli.Env) error {
	bar := env.Progress(int64(len(p.targets)), "building")
	defer bar.Finish()
	for i := range p.targets {
		t := &p.targets[i]
		for n := range p.layouts() {
			shuffle := fmt.Sprintf("-ldflags=-randlayout=%d", n+1)
			cmd := exec.CommandContext(ctx, "go", "test", "-c", "-pgo=off", shuffle, "-o", t.layout(n).binary, "./"+t.name)
			cmd.Dir = p.root
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("building the benchmarks of %s: %w", t.name, failure(ctx, err, "", string(out)))
			}
		}
		if p.options.experiments {
			out, err := p.start(ctx, t.layout(0), []string{"-test.list", "^Benchmark"})
			if err != nil {
				return fmt.Errorf("listing the benchmarks of %s: %w", t.name, err)
			}
			names := slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool {
				return !strings.HasPrefix(name, "Benchmark") || name == "BenchmarkRender"
			})
			if len(names) == 0 {
				return fmt.Errorf("%s has no benchmark besides BenchmarkRender", t.name)
			}
			t.filter = "^(" + strings.Join(names, "|") + ")$"
		}
		bar.Add(1)
	}
	return nil
}

// measure runs the rounds and returns how many were finished. After each, the
// file holds it.
func (p *plan) measure(ctx context.Context, env *cli.Env, file *file) (done int, err error) {
	type turn struct {
		target
		pkg  string
		save bool
	}
	var turns []turn
	for _, t := range p.targets {
		turns = append(turns, turn{t, "", p.save != ""})
	}
	if p.again {
		turns = append(turns, turn{p.targets[0], results.Again(steps.All()[0]), false})
	}

	bar := env.Progress(int64(p.options.rounds*len(turns)), "measuring")
	defer bar.Finish()
	for round := range p.options.rounds {
		var records []*benchfmt.Result
		for _, t := range turns {
			bar.Describe(fmt.Sprintf("round %d of %d, %s", round+1, p.options.rounds, t.name))
			saveTo := ""
			if t.save && round == 0 {
				saveTo = p.save
			}
			got, err := p.runTarget(ctx, t.layout(round%p.layouts()), saveTo)
			if err != nil {
				return round, err
			}
			for _, r := range got {
				if t.pkg != "" {
					setConfig(r, "pkg", t.pkg)
				}
				records = append(records, r)
			}
			bar.Add(1)
		}
		if err := file.append(records); err != nil {
			return round, err
		}
	}
	return p.options.rounds, nil
}

// runTarget runs the benchmarks of a package once and returns its
// measurements, with the lines that describe the machine.
func (p *plan) runTarget(ctx context.Context, t target, saveTo string) ([]*benchfmt.Result, error) {
	args := []string{"-test.run", "^$", "-test.bench", t.filter}
	switch {
	case p.options.experiments:
		args = append(args, "-test.benchtime", "200ms")
	case p.options.quick:
		args = append(args, "-size", "quick", "-test.benchtime", "100ms")
	default:
		args = append(args, "-size", "full", "-test.benchtime", "1x")
	}
	if saveTo != "" {
		args = append(args, "-save", saveTo)
	}
	out, err := p.start(ctx, t, args)
	if err != nil {
		return nil, fmt.Errorf("measuring %s: %w", t.name, err)
	}

	var records []*benchfmt.Result
	reader := benchfmt.NewReader(bytes.NewReader(out), t.name)
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			return nil, fmt.Errorf("measuring %s: its output is not in the Go benchmark format: %v", t.name, reader.Result())
		}
		r = r.Clone()
		for _, c := range p.machine {
			setConfig(r, c.Key, string(c.Value))
		}
		setConfig(r, "pgo", "off")
		setConfig(r, "layouts", strconv.Itoa(layouts))
		records = append(records, r)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("measuring %s: no benchmark ran", t.name)
	}
	return records, reader.Err()
}

// setConfig sets a line that is written to the file, which
// [benchfmt.Result.SetConfig] does not.
func setConfig(r *benchfmt.Result, key, value string) {
	r.SetConfig(key, value)
	i, _ := r.ConfigIndex(key)
	r.Config[i].File = true
}

func start(ctx context.Context, t target, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, t.binary, args...)
	cmd.Dir = t.dir
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, failure(ctx, err, stdout.String(), stderr.String())
	}
	return []byte(stdout.String()), nil
}

// failure says why a command failed. A terminal sends Ctrl-C to the command,
// too, and the command may be gone before the context is cancelled: so it
// waits for that a moment.
func failure(ctx context.Context, err error, stdout, stderr string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(200 * time.Millisecond):
		return explain(err, stdout, stderr)
	}
}

// explain turns the failure of a command into one line with the start of what
// it said about it: on standard error, where a panic goes, or else behind the
// measurements on standard output, where a failed benchmark is reported.
func explain(err error, stdout, stderr string) error {
	text := stderr
	if strings.TrimSpace(text) == "" {
		_, text, _ = strings.Cut(stdout, "--- FAIL: ")
	}
	var words []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(words) == 4 {
			words = append(words, "...")
			break
		}
		words = append(words, line)
	}
	if len(words) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(words, "; "))
}

const mode = 0o644 // of the file with the measurements

// file collects measurements and is complete on disk after each append.
type file struct {
	name string
	text bytes.Buffer
	w    *benchfmt.Writer
}

func newFile(name string) (*file, error) {
	f := &file{name: name}
	f.w = benchfmt.NewWriter(&f.text)
	for _, unit := range []benchfmt.UnitMetadata{
		{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: "rays/s", Key: "better"}, OrigUnit: "rays/s", Value: "higher"},
		{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: "rays/op", Key: "assume"}, OrigUnit: "rays/op", Value: "exact"},
	} {
		if err := f.w.Write(&unit); err != nil {
			return nil, err
		}
	}
	f.text.WriteByte('\n')
	return f, nil
}

func (f *file) append(records []*benchfmt.Result) error {
	for _, r := range records {
		if err := f.w.Write(r); err != nil {
			return err
		}
	}
	if err := atomicwriter.WriteFile(f.name, f.text.Bytes(), mode); err != nil {
		return fmt.Errorf("results %q: %w", f.name, err)
	}
	return nil
}
