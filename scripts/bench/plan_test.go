package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// noFlags is the setup of a command without flags.
func noFlags(run cli.Run) func(*flag.FlagSet) cli.Run {
	return func(*flag.FlagSet) cli.Run { return run }
}

func silent() *cli.Env { return &cli.Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}} }

// A round is every step once and then the first step again.
func TestMeasureOrder(t *testing.T) {
	tests := []struct {
		name, list string
		rounds     int
		want       string
	}{
		{"two rounds", "1-3", 2, "step01 step02 step03 step01 step01 step02 step03 step01"},
		{"the first step alone", "1", 2, "step01 step01 step01 step01"},
		{"without the first step", "2,4", 2, "step02 step04 step02 step04"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var order []string
			p, _ := fake(t, options{rounds: tt.rounds, quick: true}, tt.list, func(_ int, name string, _ []string) error {
				order = append(order, name)
				return nil
			})
			out, err := newFile(filepath.Join(t.TempDir(), "a.txt"), results.OfSteps)
			require.NoError(t, err)
			done, err := p.measure(t.Context(), silent(), out)
			require.NoError(t, err)
			assert.Equal(t, tt.rounds, done)
			assert.Equal(t, tt.want, strings.Join(order, " "))

			set, err := results.ReadFile(out.name)
			require.NoError(t, err)
			assert.Equal(t, tt.rounds, set.Rounds())
			again := results.RenderKey(results.Again(steps.All()[0]), "small")
			assert.Equal(t, strings.HasPrefix(tt.list, "1"), len(set.Missing(steps.All()[:1], []string{"small"})) == 0)
			_, err = set.Values(again, "rays/s")
			assert.Equal(t, strings.HasPrefix(tt.list, "1"), err == nil)
		})
	}
}

func TestArguments(t *testing.T) {
	tests := []struct {
		name string
		o    options
		want []string
	}{
		{"full", options{}, []string{"-size", "full", "-test.benchtime", "1x"}},
		{"quick", options{quick: true}, []string{"-size", "quick", "-test.benchtime", "100ms"}},
		{"experiments", options{experiments: true, step: "1"}, []string{"-test.benchtime", "200ms"}},
		{"spheres", options{spheres: []int{1, 10}}, []string{"-spheres", "1,10", "-test.benchtime", "100ms"}},
		{"workers", options{workers: []int{1, 2}}, []string{"-size", "full", "-test.benchtime", "1x", "-workers", "1,2"}},
		{"tiles", options{tiles: []int{8}, quick: true}, []string{"-size", "quick", "-test.benchtime", "100ms", "-tiles", "8"}},
		{"simulate", options{simulate: true}, []string{"-size", "full", "-test.benchtime", "1x"}},
		{"simulate quickly", options{simulate: true, quick: true}, []string{"-size", "quick", "-test.benchtime", "1x"}},
		{"workers and tiles", options{workers: []int{4}, tiles: []int{8, 16}}, []string{"-size", "full", "-test.benchtime", "1x", "-workers", "4", "-tiles", "8,16"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.rounds = 1
			p, _ := fake(t, tt.o, "1", func(_ int, _ string, args []string) error {
				filter := "^BenchmarkRender$"
				if name := special[tt.o.kind()]; name != "" {
					filter = "^" + name + "$"
				}
				assert.Equal(t, append([]string{"-test.run", "^$", "-test.bench", filter}, tt.want...), args)
				return nil
			})
			_, err := p.runTarget(t.Context(), p.targets[0].layout(0), "")
			require.NoError(t, err)
		})
	}
}

// Pictures are saved once, and not by what is measured for the noise.
func TestSaveInTheFirstRound(t *testing.T) {
	home := t.TempDir()
	var saved []string
	p, _ := fake(t, options{rounds: 3, quick: true, save: true, home: home}, "1-2", func(call int, name string, args []string) error {
		for i, arg := range args {
			if arg == "-save" {
				assert.Equal(t, filepath.Join(home, "pictures"), args[i+1])
				saved = append(saved, fmt.Sprint(call, " ", name))
			}
		}
		return nil
	})
	out, err := newFile(filepath.Join(t.TempDir(), "a.txt"), results.OfSteps)
	require.NoError(t, err)
	_, err = p.measure(t.Context(), silent(), out)
	require.NoError(t, err)
	assert.Equal(t, []string{"1 step01", "2 step02"}, saved)
}

func TestLeft(t *testing.T) {
	const s, m = time.Second, time.Minute
	for _, tt := range []struct {
		name  string
		took  []time.Duration
		turns int
		want  string
	}{
		{"nothing is known", []time.Duration{0, 0}, 4, ""},
		{"the rest of the first round", []time.Duration{30 * s, 0, 0}, 2, ", about 1m0s left"},
		{"the second round of two", []time.Duration{30 * s, 2 * s, s}, 3, ", about 33s left"},
		{"its last turn", []time.Duration{30 * s, 2 * s, s}, 1, ", about 1s left"},
		{"a round and a turn", []time.Duration{30 * s, 2 * s, s}, 4, ", about 34s left"},
		{"a round that has begun", []time.Duration{30 * s, 0, 0}, 5, ", about 2m30s left"},
		{"long", []time.Duration{3 * m, 20 * s}, 20, ", about 33 minutes left"},
		{"the last is done", []time.Duration{s}, 0, ", about 0s left"},
	} {
		assert.Equal(t, tt.want, left(tt.took, tt.turns), tt.name)
	}
}

func TestRunTargetOutput(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"good", "pkg: raysteps/step01\nBenchmarkRender/scene=small-2 1 5 ns/op\n", ""},
		{"nothing", "", "measuring step01: no benchmark ran"},
		{"nothing ran", "goos: plan9\nPASS\n", "measuring step01: no benchmark ran"},
		{"cut", "BenchmarkRender/scene=small-2 1 5",
			"measuring step01: its output is not in the Go benchmark format: step01:1: missing units"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := fake(t, options{rounds: 1}, "1", nil)
			p.start = func(context.Context, target, []string) ([]byte, error) { return []byte(tt.output), nil }
			records, err := p.runTarget(t.Context(), p.targets[0].layout(0), "")
			if tt.want != "" {
				assert.EqualError(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			require.Len(t, records, 1)
			assert.NotEmpty(t, records[0].GetConfig("goversion"), "the machine is added")
		})
	}
}

func TestStart(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()

	t.Run("good", func(t *testing.T) {
		out, err := start(t.Context(), target{binary: self, dir: dir}, []string{"-test.list", "^TestStart$"})
		require.NoError(t, err)
		assert.Equal(t, "TestStart", strings.TrimSpace(string(out)))
	})
	// A binary of another time may not know a flag. It answers with some
	// dozens of lines.
	t.Run("failing", func(t *testing.T) {
		_, err := start(t.Context(), target{binary: self, dir: dir}, []string{"-nonsense"})
		require.Error(t, err)
		assert.Regexp(t, `^exit status 2: flag provided but not defined: -nonsense; Usage of [^\n]*; \.\.\.$`, err.Error())
	})
	t.Run("missing", func(t *testing.T) {
		_, err := start(t.Context(), target{binary: filepath.Join(dir, "missing"), dir: dir}, nil)
		require.ErrorIs(t, err, os.ErrNotExist)
		assert.NotContains(t, err.Error(), "\n")
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := start(ctx, target{binary: self, dir: dir}, []string{"-test.list", "."})
		assert.Equal(t, context.Canceled, err)
	})
}

// Ctrl-C ends the benchmark, too, which is then no failure of it.
func TestFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	died := errors.New("signal: interrupt")
	assert.EqualError(t, failure(ctx, died, "", "a\n"), "signal: interrupt: a")
	cancel()
	assert.Equal(t, context.Canceled, failure(ctx, died, "", "a\n"))
}

func TestExplain(t *testing.T) {
	exit := errors.New("exit status 1")
	tests := []struct{ name, stdout, stderr, want string }{
		{"nothing", "", "", "exit status 1"},
		{"measurements and nothing else", "size: 80x60\nBenchmarkA 1 5 ns/op\n", "\n", "exit status 1"},
		{"panic", "size: 80x60\n", "panic: a\n\ngoroutine 7 [running]:\n\tb\nc\nd\ne\n",
			"exit status 1: panic: a; goroutine 7 [running]:; b; c; ..."},
		{"failed benchmark", "size: 80x60\nBenchmarkA 1 5 ns/op\n--- FAIL: BenchmarkRender/scene=small\n    a.go:7: no room\nFAIL\n", "",
			"exit status 1: BenchmarkRender/scene=small; a.go:7: no room; FAIL"},
		{"does not compile", "", "# raysteps/step04\nstep04/a.go:3:4: undefined: b\n",
			"exit status 1: # raysteps/step04; step04/a.go:3:4: undefined: b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := explain(exit, tt.stdout, tt.stderr)
			assert.EqualError(t, err, tt.want)
			assert.ErrorIs(t, err, exit)
		})
	}
}

func TestBuildFails(t *testing.T) {
	p, _ := fake(t, options{rounds: 1}, "1", nil)
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	p.root = root
	p.targets = []target{{name: "step00", binary: filepath.Join(t.TempDir(), "step00.test")}}
	err = p.build(t.Context(), silent())
	require.Error(t, err)
	assert.Regexp(t, `^building the benchmarks of step00: exit status \d: [^\n]*step00[^\n]*$`, err.Error())
}

// tree is a module with a package for each kind of benchmark.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	return root
}

const (
	render     = "func BenchmarkRender(b *testing.B) {}\n"
	experiment = "func BenchmarkHitLoop(b *testing.B) { for b.Loop() {} }\n"
	imports    = "import \"testing\"\n"
)

func TestExperiments(t *testing.T) {
	root := tree(t, map[string]string{
		"go.mod":              "module raysteps\n\ngo 1.26\n",
		"step01/a.go":         "package step01\n",
		"step01/step_test.go": "package step01\n" + imports + render,
		"step01/hit_test.go":  "package step01\n" + imports + experiment,
		"step02/a.go":         "package step02\n",
		"step02/step_test.go": "package step02\n" + imports + render,
		"common/a/a.go":       "package a\n",
		"common/a/a_test.go":  "package a_test\n" + imports + experiment,
		"common/b/b.go":       "package b\n\n// " + experiment,
	})
	p, err := newPlan(root, t.TempDir(), options{experiments: true, rounds: 1}, steps.All())
	require.NoError(t, err)
	assert.False(t, p.again)
	require.Len(t, p.targets, 2, "packages with benchmarks of their own")
	assert.Equal(t, "common/a", p.targets[0].name)
	assert.Equal(t, filepath.Join(root, "common", "a"), p.targets[0].dir)
	assert.Equal(t, "step01", p.targets[1].name)

	require.NoError(t, p.build(t.Context(), silent()))
	assert.Equal(t, "^(BenchmarkHitLoop)$", p.targets[1].filter)
	records, err := p.runTarget(t.Context(), p.targets[1].layout(0), "")
	require.NoError(t, err)
	require.Len(t, records, 1)
	assert.Equal(t, "raysteps/step01", records[0].GetConfig("pkg"))

	p, err = newPlan(root, t.TempDir(), options{experiments: true, step: "2", listed: true}, steps.All()[1:2])
	require.NoError(t, err)
	assert.EqualError(t, p.build(t.Context(), silent()), "step02 has no benchmark besides BenchmarkRender")
}

func TestNoExperiments(t *testing.T) {
	root := tree(t, map[string]string{
		"go.mod":              "module raysteps\n\ngo 1.26\n",
		"step01/step_test.go": "package step01\n" + imports + render,
	})
	_, err := newPlan(root, t.TempDir(), options{experiments: true}, steps.All())
	assert.EqualError(t, err, "no package has a benchmark besides BenchmarkRender")
}

// The file is as it was when a round cannot be written.
func TestFileFails(t *testing.T) {
	p, _ := fake(t, options{rounds: 1}, "1", func(int, string, []string) error { return nil })
	records, err := p.runTarget(t.Context(), p.targets[0].layout(0), "")
	require.NoError(t, err)
	dir := t.TempDir()
	f, err := newFile(filepath.Join(dir, "missing", "a.txt"), results.OfSteps)
	require.NoError(t, err)
	err = f.append(records)
	require.ErrorContains(t, err, fmt.Sprintf("results %q: ", f.name))
	assert.ErrorContains(t, err, "is not a folder")
	assert.Empty(t, names(t, dir))
}
