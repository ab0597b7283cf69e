package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/oldresults"
	"raysteps/scripts/internal/steps"
)

func TestMain(m *testing.M) {
	if answers := os.Getenv(standInAnswers); answers != "" {
		standIn(answers)
		return
	}
	os.Exit(m.Run())
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	assert.Equal(t, cli.ExitOK, command().Exec(t.Context(), []string{"-h"}, &stdout, &stderr))
	for _, name := range []string{
		"-against revision", "-builds list", "-counters", "-experiments", "-full", "-launches number", "-o file", "-orders number", "-quick",
		"-simulate", "-spheres list", "-step list", "-tiles list", "-time long", "-workers list",
	} {
		assert.Contains(t, stdout.String(), "\n  "+name+"\n")
	}
	assert.Empty(t, stderr.String())
}

// This is the command as a reader calls it, at its shortest.
func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	var stdout, stderr bytes.Buffer
	status := command().Exec(t.Context(), []string{"-step", "1,4", "-orders", "2", "-launches", "1", "-time", "1ms", "-o", out}, &stdout, &stderr)
	require.Equal(t, cli.ExitOK, status, stderr.String())
	assert.Empty(t, stderr.String(), "standard error is no terminal")
	assert.Equal(t, []string{"a.txt"}, names(t, filepath.Dir(out)))

	set, err := results.ReadFile(out)
	require.NoError(t, err)
	require.NoError(t, set.Whole())
	assert.Equal(t, results.OfSteps, set.Kind())
	assert.Equal(t, []string{"large", "medium", "small"}, set.Scenes())
	assert.Len(t, set.Keys(), 9, "two steps and a copy of the first, three scenes")
	launches, orders := set.Launches()
	assert.Equal(t, [2]int{2, 2}, [2]int{launches, orders})
	for _, scene := range set.Scenes() {
		table, err := set.Steps(scene, []steps.Step{steps.All()[0], steps.All()[3]})
		require.NoError(t, err)
		assert.Len(t, table.Rows, 3)
		assert.Contains(t, stdout.String(), scene+" scene\n\n"+table.Text())
		noise, err := set.Noise(scene)
		require.NoError(t, err)
		assert.Positive(t, noise.Center)
	}
	assert.Contains(t, stdout.String(), "\nThe measurements are in "+out+"\n")

	text, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "Unit rays/s better=higher\n\n"), string(text))
	reader := benchfmt.NewReader(bytes.NewReader(text), out)
	records := 0
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		records++
		for _, key := range []string{"goversion", "cpu-cores", "gomaxprocs", "pkg", "link-order", "launch", "slice-time", "slice-pictures"} {
			assert.NotEmpty(t, r.GetConfig(key), key)
		}
		assert.Equal(t, "off 2 2", r.GetConfig("pgo")+" "+r.GetConfig("link-orders")+" "+r.GetConfig("launches"))
		assert.GreaterOrEqual(t, r.Iters, 2, "cycles")
		require.Len(t, r.Values, 1)
		assert.Equal(t, "rays/s", r.Values[0].Unit)
	}
	require.NoError(t, reader.Err())
	assert.Equal(t, 18, records)

	// The example of the help text.
	example := regexp.MustCompile(`(?m)go (tool benchstat .*) FILE$`).FindStringSubmatch(command().Examples)
	require.NotNil(t, example)
	stat, err := exec.CommandContext(t.Context(), "go", append(strings.Fields(example[1]), out)...).CombinedOutput()
	require.NoError(t, err, string(stat))
	assert.Regexp(t, `│ +raysteps/step01 +│ +raysteps/step04 +│`, string(stat), "side by side")
	assert.Equal(t, 2, strings.Count(string(stat), "goos: ")+strings.Count(string(stat), "goversion: "), string(stat))
}

// Builds take turns, and each measurement says which build it is of.
func TestRunBuilds(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	var stdout, stderr bytes.Buffer
	status := command().Exec(t.Context(), []string{"-builds", "v1,v1+nobounds", "-step", "4", "-orders", "1", "-time", "1ms", "-o", out}, &stdout, &stderr)
	require.Equal(t, cli.ExitOK, status, stderr.String())
	set, err := results.ReadFile(out)
	require.NoError(t, err)
	require.NoError(t, set.Whole())
	assert.Equal(t, results.OfBuilds, set.Kind())
	assert.Equal(t, []string{"v1", "v1+nobounds"}, set.Builds())
	for _, scene := range []string{"large", "medium", "small"} {
		table, err := set.BuildsTable(scene)
		require.NoError(t, err)
		assert.Contains(t, stdout.String(), scene+" scene\n\n"+table.Text())
		assert.Contains(t, table.Text(), "v1+nobounds over v1")
	}
}

func TestLocalFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    options
		want string
	}{
		{"steps", options{}, ""},
		{"quick", options{quick: true}, "-quick"},
		{"experiments", options{experiments: true, quick: true}, "-experiments-quick"},
		{"sweeps", options{workers: []int{1}}, "-sweeps"},
		{"full", options{full: true}, "-full"},
		{"against", options{against: "HEAD"}, "-against"},
	} {
		dir, name := filepath.Split(localFile("root", tt.o))
		assert.Equal(t, filepath.Join("root", "results", "local"), filepath.Clean(dir))
		assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d{6}`+tt.want+`\.txt$`, name, tt.name)
	}
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	ignored, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	require.NoError(t, err)
	assert.Contains(t, strings.Fields(string(ignored)), "/results/local/")
}

// execute runs a function as the command does.
func execute(ctx context.Context, run func(context.Context, *cli.Env) error) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	c := command()
	c.Setup = func(*flag.FlagSet) cli.Run {
		return func(ctx context.Context, env *cli.Env, _ []string) error { return run(ctx, env) }
	}
	status = c.Exec(ctx, nil, &out, &errs)
	return status, out.String(), errs.String()
}

// execPlan runs a plan with measurements that are made up.
func execPlan(ctx context.Context, t *testing.T, src *fake, out string) (status int, stdout, stderr string) {
	root := t.TempDir()
	first := steps.All()[:2]
	p := &plan{source: src, extent: extent{Schedule: launch.Schedule{Orders: 4, Launches: 2}}}
	for _, scene := range []string{"small", "large"} {
		p.groups = append(p.groups, launch.Group{Title: scene, Cycles: 2, Subjects: []launch.Subject{
			{Package: first[0].Package(), Name: "Render/scene=" + scene},
			{Package: first[1].Package(), Name: "Render/scene=" + scene},
			{Package: results.Again(first[0]), Name: "Render/scene=" + scene},
		}})
	}
	status, stdout, stderr = execute(ctx, func(ctx context.Context, env *cli.Env) error {
		return p.run(ctx, env, root, options{out: out}, first)
	})
	return status, stdout, stderr
}

// launchesOf returns how many launches a file holds of each benchmark.
func launchesOf(t *testing.T, name string) int {
	t.Helper()
	set, err := results.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, set.Whole())
	launches, _ := set.Launches()
	return launches
}

func TestInterrupted(t *testing.T) {
	for _, after := range []int{0, 1, 3} {
		t.Run(fmt.Sprintf("after %d launches", after), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := filepath.Join(t.TempDir(), "a.txt")
			src := &fake{onSlice: func(f *fakeSession, i int) (launch.Values, error) {
				if f.launch > after && len(f.turns) == 5 {
					if after > 0 {
						assert.Equal(t, after, launchesOf(t, out), "the file holds what is finished")
					}
					cancel()
				}
				return launch.Values{"rays/s": 1e6 * float64(i+1)}, nil
			}}
			status, stdout, stderr := execPlan(ctx, t, src, out)
			assert.Equal(t, cli.ExitFailure, status)
			assert.Equal(t, "bench: interrupted\n", stderr)
			assert.Len(t, src.sessions, after+1, "it stops")
			if after == 0 {
				assert.Empty(t, stdout)
				assert.NoFileExists(t, out)
				return
			}
			assert.True(t, strings.HasPrefix(stdout, fmt.Sprintf("Stopped early: %d of 8 launches are finished and kept.\n\nsmall scene\n\n", after)), stdout)
			assert.Contains(t, stdout, "The measurements are in "+out+"\n")
			assert.Equal(t, after, launchesOf(t, out))
		})
	}
}

func TestFailingLaunch(t *testing.T) {
	died := errors.New("the launcher ended: exit status 2: panic: no such scene")
	for _, tt := range []struct {
		name string
		src  fake
		want string
	}{
		{"it does not start", fake{onStart: func(launch int) error { return failAt(3, launch, died) }}, died.Error()},
		{"no group", fake{onOpen: func(f *fakeSession) error { return failAt(3, f.launch, died) }}, `(small|large): ` + died.Error()},
		{"a slice", fake{onSlice: func(f *fakeSession, i int) (launch.Values, error) {
			return launch.Values{"rays/s": 1}, failAt(3, f.launch, died)
		}}, `raysteps/(step01|step01/again|step02), Render/scene=(small|large): ` + died.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "a.txt")
			status, stdout, stderr := execPlan(t.Context(), t, &tt.src, out)
			assert.Equal(t, cli.ExitFailure, status)
			assert.Regexp(t, "^bench: ("+tt.want+")\n$", stderr)
			assert.Contains(t, stdout, "Stopped early: 2 of 8 launches are finished and kept.\n")
			assert.Equal(t, 2, launchesOf(t, out))
			for _, s := range tt.src.sessions {
				assert.Equal(t, 1, s.closed)
			}
		})
	}
}

func failAt(n, launch int, err error) error {
	if launch < n {
		return nil
	}
	return err
}

// A benchmark that reports no rays leaves a file that says so.
func TestTableFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	src := &fake{onSlice: func(*fakeSession, int) (launch.Values, error) { return launch.Values{"sec/op": 1}, nil }}
	status, stdout, stderr := execPlan(t.Context(), t, src, out)
	assert.Equal(t, cli.ExitFailure, status)
	assert.Empty(t, stdout)
	assert.Equal(t, fmt.Sprintf("bench: results %q: raysteps/step01 Render/scene=small: no values in rays/s\n", out), stderr)
	assert.FileExists(t, out)
}

// The file is as it was when a launch cannot be written.
func TestFileFails(t *testing.T) {
	dir := t.TempDir()
	f := newFile(filepath.Join(dir, "missing", "a.txt"), nil, results.OfSteps)
	err := f.append([]launch.Record{{Subject: launch.Subject{Package: "a", Name: "B"}, Values: launch.Values{"x": 1}}})
	require.ErrorContains(t, err, fmt.Sprintf("results %q: ", f.name))
	assert.Empty(t, names(t, dir))
}

// What one record says of itself does not stay for the next.
func TestFileConfig(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	f := newFile(name, []benchfmt.Config{{Key: "cpu", Value: []byte("Abacus 9")}}, results.OfSchedules)
	for n := 1; n <= 2; n++ {
		require.NoError(t, f.append([]launch.Record{
			{Subject: launch.Subject{Package: "a", Name: "A", Config: map[string]string{"kernel": "plain"}}, Order: 7, Launch: n, Slices: 3, Values: launch.Values{"y": 2, "x": 1}},
			{Subject: launch.Subject{Package: "b", Name: "B"}, Order: 7, Launch: n, Slices: 4, Values: launch.Values{"x": 3}},
		}))
	}
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "Unit efficiency better=higher\n\n"), string(text))
	reader := benchfmt.NewReader(bytes.NewReader(text), name)
	var lines []string
	for reader.Scan() {
		if r, ok := reader.Result().(*benchfmt.Result); ok {
			lines = append(lines, fmt.Sprintf("%s %s %q %s %s %d %s", r.GetConfig("cpu"), r.GetConfig("pkg"), r.GetConfig("kernel"), r.GetConfig("link-order"), r.GetConfig("launch"), r.Iters, results.BenchmarkName(r.Name)))
			for _, v := range r.Values {
				lines[len(lines)-1] += fmt.Sprintf(" %v %s", v.Value, v.Unit)
			}
		}
	}
	assert.Equal(t, []string{
		`Abacus 9 a "plain" 7 1 3 A 1 x 2 y`, `Abacus 9 b "" 7 1 4 B 3 x`,
		`Abacus 9 a "plain" 7 2 3 A 1 x 2 y`, `Abacus 9 b "" 7 2 4 B 3 x`,
	}, lines)
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
