package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// run runs the command and returns its exit status and what it prints.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = command().Exec(t.Context(), args, &out, &err)
	return status, out.String(), err.String()
}

func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		args []string
		want string // of the line behind "bench: "
	}{
		{"step 14", []string{"-step", "14"}, `for flag -step: unknown step "14"; want ` + steps.Choices()},
		{"no step", []string{"-step", ""}, "for flag -step: "},
		{"no name", []string{"-experiments", ""}, "for flag -experiments: it is empty"},
		{"time without a unit", []string{"-time", "90"}, `invalid value "90" for flag -time`},
		{"a folder as a file", []string{"-o", dir}, "is a folder; want the name of a file"},
		{"two kinds", []string{"-builds", "v1", "-experiments", "all"}, "for flag -experiments: -builds measures something else; want one of them"},
		{"against without a step", []string{"-against", "HEAD"}, "-against takes one step; want -step with its number"},
		{"no revision", []string{"-against", "nosuch", "-step", "4"}, "-against nosuch: git knows no such revision"},
		{"an option as a revision", []string{"-against", "--all", "-step", "4"}, "-against --all: git knows no such revision"},
		{"no build", []string{"-builds", "v9"}, `-builds "v9": want a release of Go, a level or both`},
		{"no benchmark", []string{"-experiments", "Nosuch", "-step", "4"}, "has a BenchmarkNosuch"},
		{"an argument", []string{"4"}, `unexpected argument "4"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := run(t, tt.args...)
			assert.Equal(t, cli.ExitMisuse, status)
			assert.Empty(t, stdout)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
			assert.Contains(t, stderr, "bench: ")
			assert.Contains(t, stderr, tt.want)
		})
	}
}

// Two steps, measured for some seconds: the table, the words, and the file.
func TestSteps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	start := time.Now()
	status, stdout, stderr := run(t, "-step", "1-2", "-time", "4s", "-o", file)
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Empty(t, stderr, "silent but on a terminal")
	t.Logf("%v\n%s", time.Since(start), stdout)
	for _, want := range []string{"large scene", "small scene", "over the step before", "the same code at another place: the noise", "Measured for", "each against the step before"} {
		assert.Contains(t, stdout, want)
	}
	counts := map[string]int{}
	reader := func() *benchfmt.Reader {
		f, err := os.Open(file)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return benchfmt.NewReader(f, file)
	}()
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(string(r.Name), "-")
		counts[r.GetConfig("pkg")+" "+name]++
		for _, key := range []string{"goversion", "cpu-clock", "link-order", "size", "measured", "pgo"} {
			assert.NotEmpty(t, r.GetConfig(key), key)
		}
		assert.Empty(t, r.GetConfig("picture"), "all are the same, or there is an error")
		assert.NotEmpty(t, r.GetConfig("place"))
	}
	require.NoError(t, reader.Err())
	assert.Len(t, counts, 9, "two steps and a copy of the first, in three scenes")
	for name, n := range counts {
		assert.Equal(t, counts["raysteps/step01 Render/scene=large"], n, name)
		assert.GreaterOrEqual(t, n, 2)
	}
}

// A copy of the module in which a step is changed: the change shows, in its speed
// and in its picture.
func TestAgainst(t *testing.T) {
	status, stdout, stderr := run(t, "-against", "HEAD", "-step", "4", "-time", "4s", "-o", filepath.Join(t.TempDir(), "a.txt"))
	if status != cli.ExitOK && strings.Contains(stderr, "git") {
		t.Skip("not a clone: ", stderr)
	}
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Contains(t, stdout, "step 4 against HEAD")
	assert.Contains(t, stdout, "HEAD, linked again")
	assert.Contains(t, stdout, "The pictures are the same.")
	assert.Equal(t, count.Available() == nil, strings.Contains(stdout, "Executed for a ray"))
}

func TestCounts(t *testing.T) {
	if err := count.Available(); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "a.txt")
	status, stdout, stderr := run(t, "-counts", "-step", "4", "-o", file)
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Contains(t, stdout, "instructions/ray")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), "Unit instructions/ray assume=exact\n")
	assert.Regexp(t, `(?m)^BenchmarkCount/scene=large 1 \d+.* instructions/ray`, string(text))
}

func TestExperiments(t *testing.T) {
	status, stdout, stderr := run(t, "-experiments", "Layout", "-step", "4", "-time", "1s", "-o", filepath.Join(t.TempDir(), "a.txt"))
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Contains(t, stdout, "Layout/n=46/layout=array")
	assert.NotContains(t, stdout, "Render")
}

// What an interrupt stops keeps the launches that are finished.
func TestInterrupt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(7*time.Second, cancel)
	var stdout, stderr bytes.Buffer
	status := command().Exec(ctx, []string{"-step", "1,4", "-time", "1h", "-o", file}, &stdout, &stderr)
	assert.Equal(t, cli.ExitFailure, status)
	assert.Equal(t, "bench: interrupted\n", stderr.String())
	if stdout.Len() > 0 { // a slow machine has not finished any
		assert.Contains(t, stdout.String(), "Stopped early: ")
		assert.FileExists(t, file)
	}
}

// result makes one of a launch.
func result(pkg, name, build, place string, order string, rate float64) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 30, Values: []benchfmt.Value{{Value: rate, Unit: "rays/s"}, {Value: 0.2, Unit: turns.SlowSlices}}}
	for key, value := range map[string]string{"pkg": pkg, buildKey: build, "place": place, "link-order": order} {
		turns.Set(r, key, value)
	}
	return r
}

func TestFindings(t *testing.T) {
	var all []*benchfmt.Result
	for i, order := range []string{"1", "2", "3", "4"} {
		wobble := 1 + 0.001*float64(i%2)
		for step, rate := range map[string]float64{"raysteps/step01": 1e6, "raysteps/step01/again": 1e6 * wobble, "raysteps/step02": 1.2e6 * wobble, "raysteps/step03": 1.2e6, "raysteps/step04": 0.9e6 * wobble} {
			all = append(all, result(step, "Render/scene=large-2", "", "", order, rate))
		}
	}
	set, err := results.Of(all, "a run")
	require.NoError(t, err)
	b := &bench{all: all, set: set, done: 4, start: time.Now().Add(-83 * time.Second)}
	b.set.Own = true
	b.chosen, _ = steps.Parse("1-4")
	var printed strings.Builder
	require.NoError(t, b.print(&printed))
	text := printed.String()
	assert.Contains(t, text, "faster: 2 public ray members 1.201")
	assert.Contains(t, text, "slower: 4 spheres in one array 0.7504")
	assert.Contains(t, text, "the same, within 1 %: 3 no interface in the hit loop")
	assert.Contains(t, text, "The largest gain on one core is step 2 (public ray members), 1.20 times: docs/step02.md")
	assert.Contains(t, text, "Measured for 1m23s: 4 link orders, 30 turns in each.")
	assert.Contains(t, text, "The machine was noisy: one slice in ten took 20 % longer than usual")
}

// The pictures are compared as they were rendered, also once the file is written.
func TestPictures(t *testing.T) {
	b := &bench{kind: "against", value: "HEAD", out: filepath.Join(t.TempDir(), "a.txt")}
	for _, build := range []string{"HEAD", workingTree, "HEAD, linked again"} {
		r := result("raysteps/step04", "Render/scene=large-2", build, "", "1", 1e6)
		turns.Set(r, "picture", build[:4])
		b.all = append(b.all, r)
	}
	_, err := b.write()
	require.NoError(t, err)
	assert.Equal(t, "The pictures are NOT those of HEAD: Render/scene=large-2 is another one.", b.pictures())
	turns.Set(b.all[1], "picture", "HEAD")
	assert.Equal(t, "The pictures are the same.", b.pictures())
}

func TestMachineName(t *testing.T) {
	for want, cpu := range map[string][2]string{
		"amd-epyc-zen-5":            {"AMD EPYC", "Zen 5"},
		"intel-xeon-granite-rapids": {"Intel(R) Xeon(R) Processor", "Granite Rapids"},
		"apple-m2":                  {"Apple M2", ""},
		"machine":                   {},
	} {
		r := &benchfmt.Result{}
		turns.Set(r, "cpu", cpu[0])
		turns.Set(r, "cpu-generation", cpu[1])
		assert.Equal(t, want, results.MachineName(r))
	}
}
