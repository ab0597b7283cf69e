package main

import (
	"bytes"
	"cmp"
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

	"github.com/schollz/progressbar/v3"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/machine"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// layouts is how many times each binary is linked, with its functions in
// another order each time; the rounds take turns. Where in a cache line a hot
// loop begins can make a difference of a tenth, and a function added elsewhere
// moves it. So the interval of a figure has to cover that luck, too.
const layouts = 4

// target is a package whose benchmarks are measured.
type target struct {
	name   string // of its folder, from the root: "step04"
	dir    string // the folder; benchmarks run there, as under go test
	binary string
	filter string   // regular expression of the benchmarks
	env    []string // variables for the go command that builds it
	build  *build   // one of those that are compared, or nil
}

// title is what a message calls the target.
func (t target) title() string {
	if t.build != nil {
		return t.name + " " + t.build.String()
	}
	return t.name
}

// plan is what a run does.
type plan struct {
	root    string
	options options
	targets []target
	machine []benchfmt.Config
	save    string // folder for pictures, or empty
	again   bool   // measure the first target a second time
	note    string // what a reader should know of the builds, or empty

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
	if o.watts > 0 {
		p.configure("watts", strconv.FormatFloat(o.watts, 'f', -1, 64))
	}
	if slices.ContainsFunc(o.builds, func(b build) bool { return b.instrumented }) && strings.Contains(p.configured("goflags"), "-tags") {
		return nil, fmt.Errorf("GOFLAGS is %s, and +%s would replace its tags; want it without", p.configured("goflags"), instrument)
	}
	kind := o.kind()
	names := []string{}
	if kind == results.OfExperiments && o.step == "" && !o.latest && !o.single {
		if names, err = packagesWithBenchmarks(root); err != nil {
			return nil, err
		}
	} else {
		for _, s := range chosen {
			names = append(names, s.Folder())
		}
		p.again = kind == results.OfSteps && chosen[0].Number == 1
	}
	if len(names) == 0 {
		return nil, errors.New("no package has a benchmark besides BenchmarkRender")
	}
	variants := []*build{nil}
	if kind == results.OfBuilds {
		variants = nil
		for i := range o.builds {
			variants = append(variants, &o.builds[i])
		}
	}
	for _, name := range names {
		for _, b := range variants {
			t := target{name: name, dir: filepath.Join(root, filepath.FromSlash(name)), filter: "^BenchmarkRender$", build: b}
			if special[kind] != "" {
				t.filter = "^" + special[kind] + "$"
			}
			if b != nil {
				t.env = []string{"GOAMD64=" + b.level}
			}
			binary := strings.NewReplacer("/", "-", " ", "-").Replace(t.title()) + ".test"
			if runtime.GOOS == "windows" {
				binary += ".exe"
			}
			t.binary = filepath.Join(bin, binary)
			p.targets = append(p.targets, t)
		}
	}
	if err := p.experiment(); err != nil {
		return nil, err
	}
	if o.save {
		// The benchmarks run in folders of their own.
		if p.save, err = filepath.Abs(filepath.Join(o.home, "pictures")); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// configure sets a line that all measurements bear.
func (p *plan) configure(key, value string) {
	line := benchfmt.Config{Key: key, Value: []byte(value), File: true}
	if i := slices.IndexFunc(p.machine, func(c benchfmt.Config) bool { return c.Key == key }); i >= 0 {
		p.machine[i] = line
		return
	}
	p.machine = append(p.machine, line)
}

// configured returns the value of such a line.
func (p *plan) configured(key string) string {
	for _, c := range p.machine {
		if c.Key == key {
			return string(c.Value)
		}
	}
	return ""
}

// experiment has the packages that can make use of GOEXPERIMENT=simd built
// with it. All measurements bear the same line about it, since benchstat puts
// those with different lines into different tables.
func (p *plan) experiment() error {
	var with []string
	for i := range p.targets {
		t := &p.targets[i]
		uses, err := toolchain.UsesSIMD(t.dir)
		if err != nil {
			return err
		}
		if uses && !slices.Contains(with, t.name) {
			with = append(with, t.name)
		}
	}
	if len(with) == 0 {
		return nil
	}
	list := strings.Join(with, ", ")
	var own []string // experiments that the user has chosen
	if value := p.configured("goexperiment"); value != "" {
		own = strings.Split(value, ",")
	}
	if slices.Contains(own, toolchain.SIMD) {
		return nil // then all is built with it
	}
	all := "GOEXPERIMENT=" + strings.Join(append(own, toolchain.SIMD), ",")
	if !available(p.root, all) {
		p.note = fmt.Sprintf("This toolchain has no GOEXPERIMENT=%s for %s: %s built without it", toolchain.SIMD, runtime.GOARCH, list)
		return nil
	}
	for i := range p.targets {
		if t := &p.targets[i]; slices.Contains(with, t.name) {
			t.env = append(t.env, all)
		}
	}
	value := toolchain.SIMD + " for " + list
	if len(own) > 0 {
		value = strings.Join(own, ",") + ", " + value
	}
	p.configure("goexperiment", value)
	p.note = "Built with " + all + ": " + list
	return nil
}

// available reports whether the toolchain has the experiment for this
// processor.
func available(root, experiment string) bool {
	return runtime.GOARCH == "amd64" && toolchain.HasSIMD(root, append(os.Environ(), experiment))
}

// special are the benchmarks of the kinds that have one to themselves.
var special = map[results.Kind]string{
	results.OfSweep:     "BenchmarkSweep",
	results.OfSchedules: "BenchmarkSchedule",
}

// experimental reports whether a benchmark is one whose figures a chapter shows.
// BenchmarkTimeline is for an execution trace.
func experimental(name string) bool {
	return strings.HasPrefix(name, "Benchmark") &&
		!slices.Contains([]string{"BenchmarkRender", "BenchmarkTimeline", special[results.OfSweep], special[results.OfSchedules]}, name)
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
	declares := regexp.MustCompile(`(?m)^func (Benchmark\w*)\(`)
	var names []string
	for line := range strings.Lines(string(out)) {
		dir, files, _ := strings.Cut(strings.TrimSpace(line), "|")
		for file := range strings.SplitSeq(files, "|") {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil || file == "" {
				continue
			}
			own := slices.ContainsFunc(declares.FindAllStringSubmatch(string(text), -1),
				func(match []string) bool { return experimental(match[1]) })
			if rel, err := filepath.Rel(root, dir); own && err == nil {
				names = append(names, filepath.ToSlash(rel))
				break
			}
		}
	}
	return names, nil
}

// layouts is how many binaries of a target the rounds make use of.
func (p *plan) layouts() int {
	if p.options.compileOnly {
		return 1
	}
	return max(1, min(layouts, p.options.rounds))
}

// layout returns the target with the n-th of its binaries.
func (t target) layout(n int) target {
	dir, name := filepath.Split(t.binary)
	t.binary = filepath.Join(dir, fmt.Sprintf("%d-%s", n, name))
	return t
}

// build compiles every target and links it for each layout, and finds out
// which benchmarks it has.
func (p *plan) build(ctx context.Context, env *cli.Env) error {
	bar := env.Progress(int64(len(p.targets)), "building")
	defer bar.Finish()
	for i := range p.targets {
		t := &p.targets[i]
		profile := ""
		if t.build != nil && t.build.pgo {
			bar.Describe("profiling " + t.title())
			var err error
			if profile, err = p.record(ctx, *t); err != nil {
				return err
			}
		}
		bar.Describe("building " + t.title())
		for n := range p.layouts() {
			if err := p.compile(ctx, *t, t.layout(n).binary, profile, fmt.Sprintf("-ldflags=-randlayout=%d", n+1)); err != nil {
				return err
			}
		}
		switch kind := p.options.kind(); kind {
		case results.OfExperiments:
			names, err := p.benchmarks(ctx, *t, experimental)
			if err != nil {
				return err
			}
			if len(names) == 0 {
				return fmt.Errorf("%s has no benchmark besides BenchmarkRender", t.name)
			}
			t.filter = "^(" + strings.Join(names, "|") + ")$"
		case results.OfSweep, results.OfSchedules:
			names, err := p.benchmarks(ctx, *t, func(name string) bool { return name == special[kind] })
			if err != nil {
				return err
			}
			if len(names) == 0 {
				return fmt.Errorf("%s has no %s; want a step that has one, such as -step 13", t.name, special[kind])
			}
		}
		bar.Add(1)
	}
	return nil
}

// command returns the arguments of the go command that builds the benchmarks of
// a target, with a profile unless it is empty.
func (t target) command(binary, profile string, flags ...string) []string {
	args := []string{"test", "-c", "-pgo=" + cmp.Or(profile, "off"), "-o", binary}
	if t.build != nil && t.build.unchecked {
		args = append(args, "-gcflags=-B")
	}
	if t.build != nil && t.build.instrumented {
		args = append(args, "-tags="+instrument)
	}
	return slices.Concat(args, flags, []string{"./" + t.name})
}

// compile builds the benchmarks of a target.
func (p *plan) compile(ctx context.Context, t target, binary, profile string, flags ...string) error {
	cmd := exec.CommandContext(ctx, "go", t.command(binary, profile, flags...)...)
	cmd.Dir = p.root
	cmd.Env = append(os.Environ(), t.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the benchmarks of %s: %w", t.title(), failure(ctx, err, "", string(out)))
	}
	return nil
}

// record takes the profile for a profile-guided build: of small pictures, by a
// build without one.
func (p *plan) record(ctx context.Context, t target) (string, error) {
	plain := *t.build
	plain.pgo = false
	t.build = &plain
	profile := t.binary + ".pprof"
	dir, name := filepath.Split(t.binary)
	t.binary = filepath.Join(dir, "unguided-"+name)
	if err := p.compile(ctx, t, t.binary, ""); err != nil {
		return "", err
	}
	args := []string{"-test.run", "^$", "-test.bench", t.filter, "-size", "quick", "-test.benchtime", "500ms", "-test.cpuprofile", profile}
	if _, err := p.start(ctx, t, args); err != nil {
		return "", fmt.Errorf("profiling %s: %w", t.title(), err)
	}
	return profile, nil
}

// benchmarks lists those of a target that choose chooses.
func (p *plan) benchmarks(ctx context.Context, t target, choose func(name string) bool) ([]string, error) {
	out, err := p.start(ctx, t.layout(0), []string{"-test.list", "^Benchmark"})
	if err != nil {
		return nil, fmt.Errorf("listing the benchmarks of %s: %w", t.title(), err)
	}
	// Behind the names, go test says ok.
	return slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool { return !choose(name) }), nil
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

	// The first step may take a hundred times as long as the last, so the bar
	// itself cannot tell how long the rest takes.
	took := make([]time.Duration, len(turns))
	bar := env.Progress(int64(p.options.rounds*len(turns)), "measuring", progressbar.OptionSetPredictTime(false))
	defer bar.Finish()
	for round := range p.options.rounds {
		var records []*benchfmt.Result
		for i, t := range turns {
			bar.Describe(fmt.Sprintf("round %d of %d, %s%s", round+1, p.options.rounds, t.title(), left(took, (p.options.rounds-round)*len(turns)-i)))
			start := time.Now()
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
			took[i] = time.Since(start)
			bar.Add(1)
		}
		if err := file.append(records); err != nil {
			return round, err
		}
	}
	return p.options.rounds, nil
}

// left says how long the last so many turns will take, of which each took so
// long the last time, or 0 if it is still to come for the first time. It is
// empty while nothing is known.
func left(took []time.Duration, turns int) string {
	var known, rest time.Duration
	count := 0
	for _, d := range took {
		if known += d; d > 0 {
			count++
		}
	}
	if count == 0 {
		return ""
	}
	for n := range turns {
		if d := took[len(took)-1-n%len(took)]; d > 0 {
			rest += d
		} else {
			rest += known / time.Duration(count)
		}
	}
	if rest >= 10*time.Minute {
		return fmt.Sprintf(", about %.0f minutes left", rest.Minutes())
	}
	return fmt.Sprintf(", about %s left", rest.Round(time.Second))
}

// arguments are those of a target's binary.
func (p *plan) arguments(t target) []string {
	o := &p.options
	args := []string{"-test.run", "^$", "-test.bench", t.filter}
	switch kind := o.kind(); {
	case kind == results.OfExperiments:
		return append(args, "-test.benchtime", "200ms")
	case kind == results.OfSpheres:
		// A picture may take a millisecond or two seconds.
		return append(args, "-spheres", join(o.spheres), "-test.benchtime", "100ms")
	case kind == results.OfSchedules:
		// It is the tiles that take time, once for all numbers of workers.
		size := "full"
		if o.quick {
			size = "quick"
		}
		return append(args, "-size", size, "-test.benchtime", "1x")
	case o.quick:
		args = append(args, "-size", "quick", "-test.benchtime", "100ms")
	case o.size != "" || o.samples > 0:
		// A small picture is rendered a few times.
		args = append(args, "-size", cmp.Or(o.size, "full"), "-test.benchtime", "100ms")
	default:
		args = append(args, "-size", "full", "-test.benchtime", "1x")
	}
	if o.samples > 0 {
		args = append(args, "-samples", strconv.Itoa(o.samples))
	}
	if len(o.workers) > 0 {
		args = append(args, "-workers", join(o.workers))
	}
	if len(o.tiles) > 0 {
		args = append(args, "-tiles", join(o.tiles))
	}
	return args
}

// profile runs the only target once more, for its CPU profile and its
// execution trace. What it measures then does not count.
func (p *plan) profile(ctx context.Context, env *cli.Env) error {
	t := p.targets[0].layout(0)
	args := p.arguments(t)
	type output struct{ what, flag, part, name string }
	var outputs []output
	defer func() {
		for _, o := range outputs {
			os.Remove(o.part) // gone, if all went well
		}
	}()
	for _, o := range []output{
		{what: "CPU profile", flag: "-test.cpuprofile", name: p.options.cpuProfile},
		{what: "execution trace", flag: "-test.trace", name: p.options.trace},
	} {
		if o.name == "" {
			continue
		}
		// Beside the file, so that it can be renamed. The benchmark runs in a
		// folder of its own.
		name, err := filepath.Abs(o.name)
		if err != nil {
			return err
		}
		part, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
		if err != nil {
			return fmt.Errorf("writing the %s: %w", o.what, err)
		}
		o.name, o.part = name, part.Name()
		outputs = append(outputs, o)
		if err := errors.Join(part.Chmod(mode), part.Close()); err != nil {
			return fmt.Errorf("writing the %s: %w", o.what, err)
		}
		args = append(args, o.flag, o.part)
	}
	if len(outputs) == 0 {
		return nil
	}
	bar := env.Progress(-1, "profiling "+t.title())
	_, err := p.start(ctx, t, args)
	bar.Finish()
	if err != nil {
		return fmt.Errorf("profiling %s: %w", t.title(), err)
	}
	for _, o := range outputs {
		if err := os.Rename(o.part, o.name); err != nil {
			return fmt.Errorf("writing the %s: %w", o.what, err)
		}
		fmt.Fprintf(env.Stdout, "The %s is in %s\n", o.what, relative(o.name))
	}
	return nil
}

// runTarget runs the benchmarks of a package once and returns its
// measurements, with the lines that describe the machine.
func (p *plan) runTarget(ctx context.Context, t target, saveTo string) ([]*benchfmt.Result, error) {
	args := p.arguments(t)
	if saveTo != "" {
		args = append(args, "-save", saveTo)
	}
	out, err := p.start(ctx, t, args)
	if err != nil {
		return nil, fmt.Errorf("measuring %s: %w", t.title(), err)
	}

	var records []*benchfmt.Result
	reader := benchfmt.NewReader(bytes.NewReader(out), t.name)
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			return nil, fmt.Errorf("measuring %s: its output is not in the Go benchmark format: %v", t.title(), reader.Result())
		}
		r = r.Clone()
		for _, c := range p.machine {
			setConfig(r, c.Key, string(c.Value))
		}
		pgo := "off"
		if b := t.build; b != nil {
			bounds, instruments := "checked", "off"
			if b.pgo {
				pgo = "on"
			}
			if b.unchecked {
				bounds = "unchecked"
			}
			if b.instrumented {
				instruments = "on"
			}
			setConfig(r, "goamd64", b.level)
			setConfig(r, "bounds", bounds)
			setConfig(r, instrument, instruments)
		}
		setConfig(r, "pgo", pgo)
		setConfig(r, "layouts", strconv.Itoa(layouts))
		records = append(records, r)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("measuring %s: no benchmark ran", t.title())
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

func newFile(name string, kind results.Kind) (*file, error) {
	f := &file{name: name}
	f.w = benchfmt.NewWriter(&f.text)
	units := [][3]string{{"rays/s", "better", "higher"}, {"rays/op", "assume", "exact"}}
	if kind == results.OfSchedules {
		units = [][3]string{{"efficiency", "better", "higher"}}
	}
	for _, u := range units {
		if err := f.w.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: u[0], Key: u[1]}, OrigUnit: u[0], Value: u[2]}); err != nil {
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
	return outfile.Write("results", f.name, f.text.Bytes())
}
