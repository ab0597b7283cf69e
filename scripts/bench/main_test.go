package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing", "a.txt")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plain"), nil, 0o666))
	inPlain := filepath.Join(dir, "plain", "a.txt")
	tests := []struct {
		name string
		args []string
		want string // the line behind "bench: "
	}{
		{"step 0", []string{"-step", "0"}, `-step: unknown step "0"; want ` + steps.Choices()},
		{"step 14", []string{"-step", "14"}, `-step: unknown step "14"; want ` + steps.Choices()},
		{"step x", []string{"-step", "x"}, `-step: unknown step "x"; want ` + steps.Choices()},
		{"no step", []string{"-step", ""}, `-step: unknown step ""; want ` + steps.Choices()},
		{"half a range", []string{"-step", "2-"}, `-step: range "2-" is not complete; want both ends, such as 2-3`},
		{"backward", []string{"-step", "4-2"}, `-step: range "4-2" runs backward; want the lower step first`},
		{"step and all", []string{"-step", "2", "-all"}, "-all and -step exclude each other; want one of them"},
		{"latest and single-threaded", []string{"-latest", "-single-threaded"},
			"-latest and -single-threaded exclude each other; want one of them"},
		{"every choice", []string{"-latest", "-single-threaded", "-all", "-step", "1"},
			"-all and -latest and -single-threaded and -step exclude each other; want one of them"},
		{"no rounds", []string{"-num", "0"}, "-num is 0; want 1 to 1000 rounds"},
		{"negative rounds", []string{"-num", "-6"}, "-num is -6; want 1 to 1000 rounds"},
		{"too many rounds", []string{"-num", "1001"}, "-num is 1001; want 1 to 1000 rounds"},
		{"a word for rounds", []string{"-num", "many"}, `invalid value "many" for flag -num: parse error; -help lists the flags`},
		{"missing folder", []string{"-o", missing},
			fmt.Sprintf("-o: results %q: %q is not a folder; want one that exists", missing, filepath.Dir(missing))},
		{"a file as a folder", []string{"-o", inPlain},
			fmt.Sprintf("-o: results %q: %q is not a folder; want one that exists", inPlain, filepath.Dir(inPlain))},
		{"a folder as a file", []string{"-o", dir}, fmt.Sprintf("-o: results %q: is a folder; want the name of a file", dir)},
		{"experiments at quick size", []string{"-experiments", "-quick"},
			"-experiments has no pictures and one size; want it without -quick and -save"},
		{"experiments with pictures", []string{"-experiments", "-save"},
			"-experiments has no pictures and one size; want it without -quick and -save"},
		{"unknown flag", []string{"-fast"}, "flag provided but not defined: -fast; -help lists the flags"},
		{"flag without its value", []string{"-step"}, "flag needs an argument: -step; -help lists the flags"},
		{"surplus argument", []string{"-quick", "3"}, `unexpected argument "3"; usage: go run ./scripts/bench [flags]`},
	}
	// What is not found to be a misuse should not run for an hour.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			assert.Equal(t, cli.ExitMisuse, command().Exec(ctx, tt.args, &stdout, &stderr))
			assert.Empty(t, stdout.String())
			assert.Equal(t, "bench: "+tt.want+"\n", stderr.String())
			assert.Equal(t, []string{"plain"}, names(t, dir))
		})
	}
}

func TestChoice(t *testing.T) {
	tests := []struct {
		name string
		o    options
		want []steps.Step
	}{
		{"none", options{}, steps.All()},
		{"all", options{all: true}, steps.All()},
		{"latest", options{latest: true}, []steps.Step{steps.Latest()}},
		{"single-threaded", options{single: true}, []steps.Step{steps.LatestSingle()}},
		{"list", options{step: "1,3-4", listed: true}, []steps.Step{steps.All()[0], steps.All()[2], steps.All()[3]}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.rounds = 1
			got, err := tt.o.check()
			require.NoError(t, err)
			require.Len(t, got, len(tt.want))
			for i := range got {
				assert.Equal(t, tt.want[i].Name, got[i].Name)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	assert.Equal(t, cli.ExitOK, command().Exec(t.Context(), []string{"-h"}, &stdout, &stderr))
	for _, name := range []string{
		"-all", "-latest", "-single-threaded", "-step list", "-quick", "-compile-only", "-num number", "-save", "-o file",
		"-experiments", "-workers list", "-tiles list", "-simulate", "-spheres list", "-builds list", "-cpuprofile file", "-trace file", "-watts watts",
	} {
		assert.Contains(t, stdout.String(), "\n  "+name+"\n")
	}
	assert.Empty(t, stderr.String())
}

func TestCompileOnly(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	var stdout, stderr bytes.Buffer
	status := command().Exec(t.Context(), []string{"-compile-only", "-step", "4", "-o", out}, &stdout, &stderr)
	assert.Equal(t, cli.ExitOK, status)
	assert.Equal(t, "built the benchmarks of step04\n", stdout.String())
	assert.Empty(t, stderr.String())
	assert.NoFileExists(t, out)
}

// This is the command as a reader calls it, at its shortest.
func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	var stdout, stderr bytes.Buffer
	status := command().Exec(t.Context(), []string{"-step", "3-4", "-quick", "-num", "1", "-o", out}, &stdout, &stderr)
	require.Equal(t, cli.ExitOK, status, stderr.String())
	assert.Empty(t, stderr.String(), "standard error is no terminal")
	assert.Equal(t, []string{"a.txt"}, names(t, filepath.Dir(out)))

	set, err := results.ReadFile(out)
	require.NoError(t, err)
	scenes := []string{"small", "medium", "large"}
	assert.Equal(t, scenes, set.Scenes())
	assert.Len(t, set.Keys(), 6, "two steps, three scenes, and no noise without step 1")
	assert.Equal(t, 1, set.Rounds())
	for i, scene := range scenes {
		rays, err := set.Values(results.RenderKey("raysteps/step04", scene), "rays/op")
		require.NoError(t, err)
		assert.Equal(t, []float64{[]float64{36714, 51614, 54561}[i]}, rays, scene)

		table, err := set.Steps(scene, steps.All()[2:4])
		require.NoError(t, err)
		assert.Contains(t, stdout.String(), scene+" scene, 80x60, 4 samples a pixel\n\n"+table.Text())
	}
	assert.Contains(t, stdout.String(), "± ∞: an interval needs 6 rounds or more (-num 6).\n")
	assert.True(t, strings.HasSuffix(stdout.String(), "\nThe measurements are in "+out+"\n"), stdout.String())

	want := []string{"cpu-cores", "gomaxprocs", "goos", "goarch", "goversion", "size", "samples", "bounces", "pkg"}
	if runtime.GOARCH == "amd64" {
		want = append(want, "cpu", "cpu-features", "goamd64")
	}
	checkFile(t, out, want)
	t.Run("benchstat", func(t *testing.T) {
		stat := exec.CommandContext(t.Context(), "go", "tool", "benchstat", "-col", "pkg", "-row", "/scene", out)
		text, err := stat.CombinedOutput()
		require.NoError(t, err, string(text))
		for _, word := range append(scenes, "raysteps/step03", "raysteps/step04", "rays/s") {
			assert.Contains(t, string(text), word)
		}
	})
}

// checkFile reads a file as benchstat does and looks for the configuration
// lines in every record.
func checkFile(t *testing.T, name string, keys []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "Unit rays/s better=higher\nUnit rays/op assume=exact\n\n"), string(text))

	reader := benchfmt.NewReader(bytes.NewReader(text), name)
	records := 0
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.Result:
			records++
			for _, key := range keys {
				assert.NotEmpty(t, r.GetConfig(key), key)
			}
			var units []string
			for _, v := range r.Values {
				units = append(units, v.Unit)
			}
			assert.Equal(t, []string{"sec/op", "rays/op", "rays/s", "B/op", "allocs/op"}, units)
		case *benchfmt.SyntaxError:
			t.Error(r)
		}
	}
	require.NoError(t, reader.Err())
	assert.NotZero(t, records)
}

// Without -o, everything goes to folders that git ignores.
func TestRunDefaultFolders(t *testing.T) {
	home := t.TempDir()
	var stdout, stderr bytes.Buffer
	o := options{step: "4", quick: true, rounds: 1, save: true, home: home}
	require.NoError(t, run(t.Context(), &cli.Env{Stdout: &stdout, Stderr: &stderr}, o, steps.All()[3:4]))
	assert.Empty(t, stderr.String())

	assert.Equal(t, []string{"pictures", "results"}, names(t, home))
	assert.Equal(t, []string{"local"}, names(t, filepath.Join(home, "results")))
	local := names(t, filepath.Join(home, "results", "local"))
	require.Len(t, local, 1)
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d{6}-quick\.txt$`, local[0])
	assert.Contains(t, stdout.String(), "The measurements are in "+filepath.Join(home, "results", "local", local[0])+"\n")
	assert.Contains(t, stdout.String(), "The pictures are in "+filepath.Join(home, "pictures")+"\n")

	assert.Equal(t, []string{"step04-large.png", "step04-medium.png", "step04-small.png"}, names(t, filepath.Join(home, "pictures")))
	f, err := os.Open(filepath.Join(home, "pictures", "step04-small.png"))
	require.NoError(t, err)
	defer f.Close()
	config, err := png.DecodeConfig(f)
	require.NoError(t, err)
	assert.Equal(t, [2]int{80, 60}, [2]int{config.Width, config.Height})

	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	ignored, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	require.NoError(t, err)
	lines := strings.Fields(string(ignored))
	assert.Contains(t, lines, "/results/local/")
	assert.Contains(t, lines, "/pictures/")
}

func TestLocalFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    options
		want string
	}{
		{"full", options{}, `\d{6}\.txt$`},
		{"quick", options{quick: true}, `\d{6}-quick\.txt$`},
		{"experiments", options{experiments: true}, `\d{6}-experiments\.txt$`},
	} {
		assert.Regexp(t, tt.want, localFile(tt.o), tt.name)
	}
}

func TestRelative(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	assert.Equal(t, filepath.Join("results", "a.txt"), relative(filepath.Join(dir, "results", "a.txt")))
	other := filepath.Join(filepath.Dir(dir), "other", "a.txt")
	assert.Equal(t, other, relative(other), "what is elsewhere keeps its whole name")
}

func TestInterruptedBeforeTheFirstRound(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := filepath.Join(t.TempDir(), "a.txt")
	var stdout, stderr bytes.Buffer
	assert.Equal(t, cli.ExitFailure, command().Exec(ctx, []string{"-step", "4", "-quick", "-o", out}, &stdout, &stderr))
	assert.Empty(t, stdout.String())
	assert.Equal(t, "bench: interrupted\n", stderr.String())
	assert.Empty(t, names(t, filepath.Dir(out)))
}

// fake is a plan whose benchmarks do not run: each call of a binary gives the
// output of one, or what answer says.
func fake(t *testing.T, o options, list string, answer func(call int, name string, args []string) error) (*plan, []steps.Step) {
	t.Helper()
	chosen, err := steps.Select(list)
	require.NoError(t, err)
	p, err := newPlan(t.TempDir(), t.TempDir(), o, chosen)
	require.NoError(t, err)
	calls := 0
	p.start = func(_ context.Context, target target, args []string) ([]byte, error) {
		calls++
		if err := answer(calls, target.name, args); err != nil {
			return nil, err
		}
		return fmt.Appendf(nil, `size: 80x60
samples: 4
goos: plan9
pkg: raysteps/%s
BenchmarkRender/scene=small-2 1 %d ns/op 2 rays/op %d rays/s
PASS
`, target.name, 100+calls, 1000+calls), nil
	}
	return p, chosen
}

// execPlan runs a prepared plan as the command does.
func execPlan(ctx context.Context, p *plan, chosen []steps.Step) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	c := command()
	c.Setup = noFlags(func(ctx context.Context, env *cli.Env, _ []string) error { return record(ctx, env, p, chosen) })
	status = c.Exec(ctx, nil, &out, &errs)
	return status, out.String(), errs.String()
}

func TestInterruptedInTheSecondRound(t *testing.T) {
	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprintf("in its first benchmark %v", first), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := filepath.Join(t.TempDir(), "a.txt")
			last := 5 // calls; the first round has three
			if first {
				last = 4
			}
			p, chosen := fake(t, options{rounds: 6, quick: true, out: out}, "1-2", func(call int, _ string, _ []string) error {
				switch {
				case call <= 3:
					assert.NoFileExists(t, out, "a round that is not finished leaves nothing")
				case call == last:
					set, err := results.ReadFile(out)
					assert.NoError(t, err)
					assert.Equal(t, 1, set.Rounds(), "the file holds what is finished")
					cancel()
					return ctx.Err()
				case call > last:
					t.Error("it goes on")
				}
				return nil
			})
			status, stdout, stderr := execPlan(ctx, p, chosen)
			assert.Equal(t, cli.ExitFailure, status)
			assert.Equal(t, "bench: interrupted\n", stderr)
			assert.Contains(t, stdout, "Stopped early: 1 of 6 rounds are finished and kept.\n")
			assert.Contains(t, stdout, "an interval needs 6 rounds or more")
			assert.Contains(t, stdout, "The measurements are in "+out+"\n")

			set, err := results.ReadFile(out)
			require.NoError(t, err)
			for i, pkg := range []string{"raysteps/step01", "raysteps/step02", "raysteps/step01/again"} {
				values, err := set.Values(results.RenderKey(pkg, "small"), "rays/s")
				require.NoError(t, err)
				assert.Equal(t, []float64{1001 + float64(i)}, values, pkg)
			}
		})
	}
}

func TestFailingBenchmark(t *testing.T) {
	for _, tt := range []struct {
		name   string
		call   int // that fails
		stdout string
		files  []string
	}{
		{"in the first round", 2, "", nil},
		{"in the second round", 5, "Stopped early: 1 of 6 rounds are finished and kept.\n", []string{"a.txt"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "a.txt")
			p, chosen := fake(t, options{rounds: 6, quick: true, out: out}, "1-2", func(call int, _ string, _ []string) error {
				if call == tt.call {
					return errors.New("exit status 2: panic: no such scene; goroutine 7 [running]:")
				}
				return nil
			})
			status, stdout, stderr := execPlan(t.Context(), p, chosen)
			assert.Equal(t, cli.ExitFailure, status)
			assert.Equal(t, "bench: measuring step02: exit status 2: panic: no such scene; goroutine 7 [running]:\n", stderr)
			assert.True(t, strings.HasPrefix(stdout, tt.stdout), stdout)
			assert.Equal(t, tt.files, names(t, filepath.Dir(out)))
		})
	}
}

// A benchmark that reports no rays leaves a file that says so.
func TestTableFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	p, chosen := fake(t, options{rounds: 1, out: out}, "2", nil)
	p.start = func(context.Context, target, []string) ([]byte, error) {
		return []byte("pkg: raysteps/step02\nBenchmarkRender/scene=small-2 1 5 ns/op\n"), nil
	}
	status, stdout, stderr := execPlan(t.Context(), p, chosen)
	assert.Equal(t, cli.ExitFailure, status)
	assert.Empty(t, stdout)
	assert.Equal(t, fmt.Sprintf("bench: results %q: raysteps/step02 Render/scene=small: no values in rays/op\n", out), stderr)
	assert.FileExists(t, out)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
