package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/oldresults"
)

// experiment is a benchmark of a package besides BenchmarkRender.
type experiment struct {
	folder   string   // of the package, from the root
	binaries []string // by link order
	flags    []string // of the test binary, besides those that choose benchmarks
	whole    bool     // all variants run in one process: they are no comparison
}

// benchmarker measures experiments by test binaries: a slice is a process that
// runs one variant, so that variants can take turns and have fresh data.
type benchmarker struct {
	root        string
	experiments map[string]experiment // by the title of a group
}

// benchTime is how long the testing package repeats a variant for a slice, and
// workersBenchTime how long one with several goroutines: for the first milliseconds
// the system may run them on the same core. It runs it twice, and the first time
// does not count.
const (
	benchTime        = "4ms"
	workersBenchTime = "20ms"
)

// several matches the name of a variant with several goroutines.
var several = regexp.MustCompile(`/(goroutines|workers)=([2-9]|1\d)|^HandOut/`)

type benchmarkerSession struct {
	*benchmarker
	ctx   context.Context
	order int
	group *launch.Group
	whole map[string]launch.Values // by name, of an experiment that runs whole: what was not asked for yet
}

func (b *benchmarker) Launch(ctx context.Context, order int) (launch.Session, error) {
	return &benchmarkerSession{benchmarker: b, ctx: ctx, order: order}, nil
}

func (b *benchmarkerSession) Close() {}

func (b *benchmarkerSession) Open(g *launch.Group) error {
	b.group, b.whole = g, nil
	return nil
}

func (b *benchmarkerSession) Slice(i int) (launch.Values, error) {
	e := b.experiments[b.group.Title]
	name := b.group.Subjects[i].Name
	values := b.whole
	if _, ok := values[name]; !ok {
		flags := []string{"-test.benchtime", benchTime, "-test.count", "2"}
		switch {
		case e.whole:
			flags = []string{"-test.benchtime", "1x"}
		case several.MatchString(name):
			flags[1] = workersBenchTime
		}
		got, err := b.run(b.ctx, e, b.order, b.pattern(e, name), flags...)
		if err != nil {
			return nil, err
		}
		values = map[string]launch.Values{}
		for _, r := range got {
			values[r.name] = r.values // the last one counts
		}
	}
	v := values[name] // none if it was skipped, as some are that cannot always run
	delete(values, name)
	if e.whole {
		b.whole = values
	}
	return v, nil
}

// pattern chooses a variant, or all of its scene.
func (b *benchmarkerSession) pattern(e experiment, name string) string {
	parts := strings.Split("Benchmark"+name, "/")
	if e.whole {
		parts = parts[:min(2, len(parts))]
	}
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// result is a line that a benchmark printed.
type result struct {
	name   string // "HitLoop/ray=value"
	values launch.Values
	config map[string]string
}

// run runs the benchmarks of a pattern, in the folder of their package, and
// returns what they print.
func (b *benchmarker) run(ctx context.Context, e experiment, order int, pattern string, flags ...string) ([]result, error) {
	args := slices.Concat([]string{"-test.run", "^$", "-test.bench", pattern}, e.flags, flags)
	cmd := exec.CommandContext(ctx, e.binaries[order%len(e.binaries)], args...)
	cmd.Dir = filepath.Join(b.root, filepath.FromSlash(e.folder))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		text := stderr.String()
		if strings.TrimSpace(text) == "" {
			_, text, _ = strings.Cut(string(out), "--- FAIL: ")
		}
		return nil, launch.Failure(ctx, err, text)
	}
	var all []result
	reader := benchfmt.NewReader(bytes.NewReader(out), e.folder)
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("its output is not in the Go benchmark format: %v", r)
		case *benchfmt.Result:
			got := result{results.BenchmarkName(r.Name), launch.Values{}, map[string]string{}}
			for _, v := range r.Values {
				got.values[v.Unit] = v.Value
			}
			for _, c := range r.Config {
				got.config[c.Key] = string(c.Value)
			}
			all = append(all, got)
		}
	}
	return all, reader.Err()
}

// benchmarkDeclaration is how a test file declares a benchmark.
var benchmarkDeclaration = regexp.MustCompile(`(?m)^func Benchmark(\w+)\(`)

// notExperiments are benchmarks that are measured in another way, run for an
// execution trace, or check another program's rates.
var notExperiments = []string{"Render", "Timeline", "Race", sweep, schedules}

// The benchmarks of -workers and -tiles, and of -simulate.
const (
	sweep     = "Sweep"
	schedules = "Schedule"
)

// declared lists the benchmarks that the tests in a folder declare, for this
// build or another.
func declared(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, match := range benchmarkDeclaration.FindAllSubmatch(text, -1) {
			names = append(names, string(match[1]))
		}
	}
	return names, nil
}

// foldersWithExperiments lists the folders of the module, from its root, whose
// tests declare an experiment.
func foldersWithExperiments(ctx context.Context, root string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "./...")
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list ./...: %w", launch.Failure(ctx, err, stderr.String()))
	}
	var folders []string
	for dir := range strings.Lines(string(out)) {
		dir = strings.TrimSpace(dir)
		names, err := declared(dir)
		if err != nil {
			return nil, err
		}
		folder, err := filepath.Rel(root, dir)
		if err == nil && slices.ContainsFunc(names, isExperiment) {
			folders = append(folders, filepath.ToSlash(folder))
		}
	}
	return folders, nil
}

func isExperiment(name string) bool { return !slices.Contains(notExperiments, name) }

// discover runs benchmarks of a package once, and returns a group for each of them,
// or for each of its scenes if the scene is the first key of its variants.
func (b *benchmarker) discover(ctx context.Context, e experiment, names []string) ([]launch.Group, error) {
	found, err := b.run(ctx, e, 0, "^Benchmark("+strings.Join(names, "|")+")$", "-test.benchtime", "1x")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.folder, err)
	}
	var groups []launch.Group
	for _, r := range found {
		parts := strings.Split(r.name, "/")
		title := e.folder + " " + parts[0]
		if len(parts) > 1 && strings.HasPrefix(parts[1], "scene=") {
			title += "/" + parts[1]
		}
		if len(groups) == 0 || groups[len(groups)-1].Title != title {
			groups = append(groups, launch.Group{Title: title})
			b.experiments[title] = e
		}
		g := &groups[len(groups)-1]
		if !slices.ContainsFunc(g.Subjects, func(s launch.Subject) bool { return s.Name == r.name }) {
			g.Subjects = append(g.Subjects, launch.Subject{Package: path.Join(cli.Module, e.folder), Name: r.name, Config: r.config})
		}
	}
	return groups, nil
}
