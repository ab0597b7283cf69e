package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// execute runs the command and returns its exit status and what it prints. Its lock is not
// that of others.
func execute(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	var out, err bytes.Buffer
	status = command.Exec(t.Context(), args, &out, &err)
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 101, "%s", line)
	}
	return status, out.String(), err.String()
}

// What does not exist is refused in one line, while another command measures.
func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	release, err := cli.LockMeasuring(t.Context(), &cli.Env{})
	require.NoError(t, err)
	defer release()
	for _, tt := range []struct {
		name, args string
		want       string // of the line behind "bench: "
	}{
		{"step 14", "-step 14", `for flag -step: unknown step "14"; want ` + steps.Choices()},
		{"no step", "-step=", "for flag -step: "},
		{"no name", "-experiments= -step 4", "-experiments is empty; want a value, or leave it out"},
		{"no name in a list", "-experiments HitLoop, -step 1", "has a Benchmark; want names of benchmarks, or all"},
		{"no benchmark", "-experiments Nosuch -step 4", "has a BenchmarkNosuch"},
		{"time without a unit", "-time 90", `invalid value "90" for flag -time`},
		{"no time", "-time 0s", `invalid value "0s" for flag -time: want a number above 0 and its unit, such as 60s`},
		{"less than no time", "-time -5s", `invalid value "-5s" for flag -time: want a number above 0`},
		{"a folder as a file", "-o " + dir, "is a folder; want the name of a file"},
		{"two kinds", "-builds v1 -counts", "-builds and -counts measure different things; want one of them"},
		{"against without a step", "-against HEAD", "-against takes one step; want -step with its number"},
		{"no revision", "-against nosuch -step 4", "-against nosuch: git knows no such revision"},
		{"an option as a revision", "-against --all -step 4", "-against --all: git knows no such revision"},
		{"no revision at all", "-against= -step 4", "-against is empty; want a value, or leave it out"},
		{"no build", "-builds v9", `"v9" is no build; want a release of Go, a level or both`},
		{"an argument", "4", `unexpected argument "4"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var stdout, stderr bytes.Buffer
			assert.Equal(t, cli.ExitMisuse, command.Exec(ctx, strings.Fields(tt.args), &stdout, &stderr))
			assert.Empty(t, stdout.String())
			assert.Regexp(t, "^bench: .*\n$", stderr.String(), "one line")
			assert.Contains(t, stderr.String(), tt.want)
		})
	}
}

// Steps, measured for a second: the table, the words, and the file.
func TestSteps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	status, stdout, stderr := execute(t, "-step", "1-2,13", "-time", "1s", "-o", file)
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Empty(t, stderr, "silent but on a terminal")
	for _, want := range []string{"large scene", "small scene", "over the step before", "noise", "Measured for"} {
		assert.Contains(t, stdout, want)
	}
	launches := map[string]bool{}
	for _, r := range read(t, file) {
		name, _, _ := strings.Cut(string(r.Name), "-")
		launches[r.GetConfig("pkg")+" "+name] = true
		for _, key := range []string{"goversion", "cpu-clock", "link-order", "measured", "pgo", "revision", "blocks"} {
			assert.NotEmpty(t, r.GetConfig(key), key)
		}
		assert.Equal(t, "1280x720 10", r.GetConfig("size")+" "+r.GetConfig("samples"))
		_, workers := r.Value("processors")
		parallel := r.GetConfig("pkg") == "raysteps/step13"
		assert.Equal(t, parallel && runtime.GOMAXPROCS(0) > 1, workers)
		assert.Equal(t, parallel, r.GetConfig("place") == "", "assembly has no places")
		assert.Len(t, r.Values, map[bool]int{false: 1, true: 2}[workers], "and no other units")
	}
	assert.Len(t, launches, 12, "three steps and a copy of the first, in three scenes")
}

func TestExperiments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	status, stdout, stderr := execute(t, "-experiments", "HitLoop", "-step", "1", "-time", "1s", "-o", file)
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Contains(t, stdout, "raysteps/step01 HitLoop")
	assert.NotEmpty(t, read(t, file))
}

func read(t *testing.T, file string) (all []*benchfmt.Result) {
	files := benchfmt.Files{Paths: []string{file}}
	for files.Scan() {
		if r, ok := files.Result().(*benchfmt.Result); ok {
			all = append(all, r.Clone())
		}
	}
	require.NoError(t, files.Err())
	return all
}

// program stands for the test binary of a version: it has pictures.
type program map[string]float64 // checksums

func (p program) Ask(r measure.Request) (all []measure.Slice, err error) {
	for name, sum := range p {
		all = append(all, measure.Slice{Name: name, Values: map[string]float64{"crc32": sum}})
	}
	return all, nil
}

func (p program) Close() error { return nil }

// Scenes are named whose pictures differ.
func TestPictures(t *testing.T) {
	const small, large = "Thumbnail/step=4/scene=small", "Thumbnail/step=4/scene=large"
	for _, tt := range []struct {
		name     string
		old, now program
		want     []string
	}{
		{"the same", program{small: 7, large: 8}, program{small: 7, large: 8}, nil},
		{"one", program{small: 7, large: 8}, program{small: 7, large: 9}, []string{"large"}},
		{"both", program{small: 7, large: 8}, program{small: 8, large: 7}, []string{"large", "small"}},
		{"a revision without them", program{}, program{small: 7}, nil},
	} {
		u := &measure.Unit{}
		for _, p := range []program{tt.old, tt.now} {
			u.Sides = append(u.Sides, &measure.Side{
				Link:  func(context.Context, int) error { return nil },
				Start: func(context.Context, int) (measure.Server, error) { return p, nil },
			})
		}
		b := &bench{against: "HEAD", steps: steps.All()[3:4]}
		b.Units = []*measure.Unit{u}
		require.NoError(t, b.compare(t.Context()))
		assert.Equal(t, tt.want, b.changed, tt.name)
	}
}

// line makes one of a launch.
func line(pkg, name, build string, order int, value float64, units ...string) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 30}
	for _, unit := range units {
		r.Values = append(r.Values, benchfmt.Value{Value: value, Unit: unit})
	}
	for key, value := range map[string]string{"pkg": pkg, buildKey: build, "link-order": fmt.Sprint(order)} {
		measure.SetConfig(r, key, value)
	}
	return r
}

// rates are lines of a subject in so many link orders, whose rate lies around the center
// by the deviation, alike above and below.
func rates(pkg, sc, build string, center, deviation float64, orders int) (lines []*benchfmt.Result) {
	for i := range orders {
		rate := 1e6 * center * math.Exp(deviation*float64(2*(i%2)-1))
		lines = append(lines, line("raysteps/"+pkg, "Render/scene="+sc, build, i+1, rate, "rays/s"))
	}
	return lines
}

// with returns a run that has measured lines, and what it prints.
func with(t *testing.T, chosen string, lines []*benchfmt.Result) (b *bench, printed *strings.Builder) {
	printed = &strings.Builder{}
	b = &bench{env: &cli.Env{Stdout: printed}, start: time.Now().Add(-83 * time.Second), versions: make([]*version, 1)}
	var err error
	b.steps, err = steps.Parse(chosen)
	require.NoError(t, err)
	b.set, err = results.Of(lines, "made up")
	require.NoError(t, err)
	b.set.Partial = true
	return b, printed
}

// What is said of a step in a run of made-up lines, each against the step before.
func TestFindings(t *testing.T) {
	for _, tt := range []struct {
		name             string
		of               string // the step
		center, scatter  float64
		noise            float64 // by what the copy of the first step differs; 0 is not measured
		want, unexpected string
	}{
		{name: "faster", of: "4", center: 1.2, scatter: 0.001, want: "faster: 4 spheres in one array 1.20"},
		{name: "slower", of: "4", center: 0.8, scatter: 0.001, want: "slower: 4 spheres in one array 0.80"},
		{name: "slower, or not", of: "4", center: 0.97, scatter: 0.05, want: "not known from this run: 4 "},
		{name: "wide around 1", of: "4", center: 1, scatter: 0.02, want: "not known from this run: 4 "},
		{name: "the same", of: "4", center: 1, scatter: 0.003, want: "the same within 0.3 %: 4 "},
		{name: "little faster", of: "4", center: 1.006, scatter: 0.0005, want: "faster by less than 1 %: 4 ", unexpected: "faster: "},
		{name: "less than noise", of: "4", center: 1.02, scatter: 0.001, noise: 1.03, want: "not known from this run: 4 "},
		{name: "more than noise", of: "4", center: 1.05, scatter: 0.001, noise: 1.03, want: "faster: 4 spheres in one array 1.05"},
		{name: "the largest gain", of: "12", center: 1.3, scatter: 0.001, want: "The largest gain on one core is step 12 ("},
		{name: "not on one core", of: "13", center: 1.5, scatter: 0.001, want: "faster: 13 goroutines over tiles 1.50", unexpected: "The largest gain"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			step, err := steps.Find(tt.of)
			require.NoError(t, err)
			lines := append(rates(step.Before, "large", "", 1, 0, 8), rates(step.Name, "large", "", tt.center, tt.scatter, 8)...)
			if tt.noise > 0 {
				lines = slices.Concat(lines, rates("step01", "large", "", 1, 0, 8), rates("step01/again", "large", "", tt.noise, 0.001, 8))
			}
			b, printed := with(t, "1,"+tt.of, lines)
			b.Done = 8
			require.NoError(t, b.print())
			text := strings.ReplaceAll(printed.String(), "\n", " ")
			assert.Contains(t, text, tt.want)
			assert.Contains(t, text, "large scene, each against the step before:")
			assert.Contains(t, text, "Measured for 1m23s in 16 link orders.")
			if tt.unexpected != "" {
				assert.NotContains(t, text, tt.unexpected)
			}
		})
	}
}

// Nothing is said of a step from which processors were taken.
func TestTaken(t *testing.T) {
	lines := rates("step12", "large", "", 1, 0.001, 8)
	for i := range 8 {
		r := line("raysteps/step13", "Render/scene=large-2", "", i+1, 1.02e6, "rays/s")
		r.Values = append(r.Values, benchfmt.Value{Value: 1.02, Unit: "processors"})
		lines = append(lines, r)
	}
	b, printed := with(t, "12-13", lines)
	require.NoError(t, b.print())
	assert.Regexp(t, `13 +goroutines over tiles +1\.020M +taken +taken`, printed.String())
	assert.NotContains(t, printed.String(), "13 goroutines over tiles 1.0")
	assert.Contains(t, printed.String(), `Where it says "taken" other programs`)
}

// What is said of a change, in a run of made-up lines.
func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		center, scatter, noise float64
		orders                 int
		want                   string
		narrow                 bool
	}{
		{"slower", 0.9, 0.001, 1, 8, "large slower, 0.900 (0.899 to 0.901) times", true},
		{"faster", 1.1, 0.001, 1, 8, "large faster, 1.100 (1.099 to 1.101) times", true},
		{"equal", 1, 0.003, 1, 8, "large the same within 0.3 %", true},
		{"by the far end", 1.01, 0.02, 1, 8, "large the same within 2.9 %", false},
		{"wide", 1, 0.05, 1, 8, "large not known from this run", false},
		{"slower in few orders", 0.9, 0.001, 1, 4, "large slower, 0.900 (0.898 to 0.902) times", false},
		{"too few", 0.9, 0.001, 1, 3, "large not known from this run", false},
		{"noise is larger", 1.012, 0.001, 1.014, 8, "large not known from this run", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lines []*benchfmt.Result
			for _, sc := range scene.Names() {
				lines = slices.Concat(lines, rates("step06", sc, "HEAD", 1, 0, tt.orders), rates("step06", sc, workingTree, tt.center, tt.scatter, tt.orders),
					rates("step06", sc, "HEAD, linked again", tt.noise, 0.001, tt.orders))
			}
			b, printed := with(t, "6", lines)
			b.against = "HEAD"
			assert.Equal(t, tt.narrow, b.narrow(&measure.Group{Name: "Render/scene=large", Lines: lines}))
			require.NoError(t, b.print())
			text := strings.ReplaceAll(printed.String(), "\n", " ")
			assert.Contains(t, text, "So step 6 is, against HEAD: small ")
			assert.Contains(t, text, tt.want)
			assert.Equal(t, !tt.narrow, strings.Contains(text, "The time was too short"))
			b.changed = []string{"large"}
			assert.EqualError(t, b.print(), "the picture is NOT that of HEAD: large scene")
		})
	}
}

// Counts of two builds that differ stand beside each other, and are divided.
func TestCounts(t *testing.T) {
	var lines, own []*benchfmt.Result
	for _, sc := range scene.Names() {
		name := "Count/scene=" + sc
		lines = append(lines, line("raysteps/step06", name, "HEAD", 1, 1000, toolchain.CountUnits()...), line("raysteps/step06", name, workingTree, 1, 800, toolchain.CountUnits()...))
		own = append(own, line("raysteps/step12", name, "", 1, 107, toolchain.CountUnits()...))
	}
	b, _ := with(t, "6", lines)
	b.against = "HEAD"
	assert.Contains(t, b.executed(), "A ray of the large scene executes, and in brackets times that of HEAD: 800 instructions (0.800), 800 loads (0.800), 800 stores (0.800), 800 branches (0.800).")
	b, printed := with(t, "12", own)
	b.counts = true
	require.NoError(t, b.print())
	assert.Regexp(t, `(?s)large scene\n\n *step +instructions/ray +loads/ray +stores/ray +branches/ray\n *12 +107`, printed.String())
}

// Both processes of a launch are link orders, and the first step of the second is noise.
func TestLinesOf(t *testing.T) {
	var lines []*benchfmt.Result
	for _, side := range []string{"1", "2"} {
		for _, name := range []string{"Render/step=1/scene=large", "Render/step=12,as=plain/scene=large", "Sizes/step=tree/cloud=10", "Full/step=13/scene=large-2"} {
			r := line("", name, "", 3, 1, "sec/op", "rays/s", "odd-0", "processors")
			measure.SetConfig(r, sideKey, side)
			lines = append(lines, r)
		}
	}
	var all []string
	for _, r := range linesOf(append(lines, line("raysteps/step01", "HitLoop", "", 1, 1, "sec/op"))) {
		text := ""
		for _, key := range []string{"pkg", "link-order", "kernel", "place", "blocks"} {
			text += r.GetConfig(key) + ", "
		}
		all = append(all, fmt.Sprint(string(r.Name), ": ", text, len(r.Values)))
	}
	assert.Equal(t, []string{
		"Render/scene=large: raysteps/step01, 5, , odd, drawn for a cycle, 2",
		"Render/scene=large: raysteps/step12, 5, plain, odd, drawn for a cycle, 2",
		"Render/cloud=10: raysteps/beyond/tree, 5, avx2, odd, drawn for a cycle, 2",
		"Full/scene=large-2: raysteps/step13, 5, avx2, odd, , 2",
		"Render/scene=large: raysteps/step01/again, 5, , odd, drawn for a cycle, 2",
		"Render/scene=large: raysteps/step01, 6, , odd, drawn for a cycle, 2",
		"Render/scene=large: raysteps/step12, 6, plain, odd, drawn for a cycle, 2",
		"Render/cloud=10: raysteps/beyond/tree, 6, avx2, odd, drawn for a cycle, 2",
		"Full/scene=large-2: raysteps/step13, 6, avx2, odd, , 2",
		"HitLoop: raysteps/step01, 1, , , , 1",
	}, all)
}
