package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// answering is a plan whose binaries print what answer says.
func answering(t *testing.T, o options, list string, answer func(target target, args []string) string) (*plan, []steps.Step) {
	t.Helper()
	p, chosen := fake(t, o, list, nil)
	p.start = func(_ context.Context, target target, args []string) ([]byte, error) {
		return []byte("size: 80x60\nsamples: 4\npkg: raysteps/" + target.name + "\n" + answer(target, args)), nil
	}
	return p, chosen
}

// Builds take turns within a step, and their measurements say how they were
// built.
func TestMeasureBuilds(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	var order []string
	list := []build{{level: "v1"}, {level: "v3", pgo: true}, {level: "v1", unchecked: true}, {level: "v1", instrumented: true}}
	p, chosen := answering(t, options{rounds: 6, out: out, builds: list}, "1,4", func(target target, args []string) string {
		order = append(order, target.title())
		return fmt.Sprintf("BenchmarkRender/scene=small-2 1 %d ns/op 2 rays/op %d rays/s\n", 100, 1000*(1+slices.Index(list, *target.build)))
	})
	status, stdout, stderr := execPlan(t.Context(), p, chosen)
	require.Zero(t, status, stderr)
	assert.Equal(t, []string{"step01 v1", "step01 v3+pgo", "step01 v1+nobounds", "step01 v1+instrument", "step04 v1", "step04 v3+pgo", "step04 v1+nobounds", "step04 v1+instrument"}, order[:8])
	assert.Equal(t, order[:8], order[8:16])

	set, err := results.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, results.OfBuilds, set.Kind())
	assert.Equal(t, []string{"v1", "v3+pgo", "v1+nobounds", "v1+instrument"}, set.Builds())
	table, err := set.BuildsTable("small")
	require.NoError(t, err)
	assert.Contains(t, stdout, "small scene, 80x60, 4 samples a pixel\n\n"+table.Text())
	assert.Contains(t, table.Text(), "2.00 (2.00 to 2.00)")

	text, err := os.ReadFile(out)
	require.NoError(t, err)
	reader := benchfmt.NewReader(bytes.NewReader(text), out)
	var configs []string
	for reader.Scan() {
		if r, ok := reader.Result().(*benchfmt.Result); ok && len(configs) < 4 {
			configs = append(configs, r.GetConfig("goamd64")+" "+r.GetConfig("pgo")+" "+r.GetConfig("bounds")+" "+r.GetConfig("instrument"))
		}
	}
	assert.Equal(t, []string{"v1 off checked off", "v3 on checked off", "v1 off unchecked off", "v1 off checked on"}, configs)
}

func TestBuildCommand(t *testing.T) {
	tests := []struct {
		build   *build
		profile string
		want    string
	}{
		{nil, "", "test -c -pgo=off -o a.test -x ./step04"},
		{&build{level: "v3"}, "", "test -c -pgo=off -o a.test -x ./step04"},
		{&build{level: "v1", pgo: true}, "a.pprof", "test -c -pgo=a.pprof -o a.test -x ./step04"},
		{&build{level: "v1", pgo: true, unchecked: true}, "a.pprof", "test -c -pgo=a.pprof -o a.test -gcflags=-B -x ./step04"},
		{&build{level: "v1", instrumented: true}, "", "test -c -pgo=off -o a.test -tags=instrument -x ./step04"},
	}
	for _, tt := range tests {
		got := target{name: "step04", build: tt.build}.command("a.test", tt.profile, "-x")
		assert.Equal(t, tt.want, strings.Join(got, " "))
	}
	p, _ := fake(t, options{rounds: 1, builds: []build{{level: "v3", pgo: true}}}, "4", nil)
	assert.Equal(t, []string{"GOAMD64=v3"}, p.targets[0].env)
}

// A profile-guided build takes minutes with all that it links, so this takes
// the profile alone.
func TestBuildsOfAStep(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("levels are of amd64")
	}
	root := tree(t, map[string]string{
		"go.mod":      "module raysteps\n\ngo 1.26\n",
		"step04/a.go": "package step04\n\nfunc At(s []int, i int) int { return s[i] }\n",
		"step04/a_test.go": `package step04

import (
	"flag"
	"testing"
)

var size = flag.String("size", "", "")

func BenchmarkRender(b *testing.B) {
	sum := 0
	for b.Loop() {
		sum += At([]int{1, 2}, b.N%2)
	}
	b.ReportMetric(float64(sum), *size+"/s")
}
`,
	})
	list := []build{{level: "v1"}, {level: "v2", unchecked: true, instrumented: true}}
	p, err := newPlan(root, t.TempDir(), options{rounds: 1, quick: true, builds: list}, steps.All()[3:4])
	require.NoError(t, err)
	require.NoError(t, p.build(t.Context(), silent()))
	for i, target := range p.targets {
		out, err := exec.CommandContext(t.Context(), "go", "version", "-m", target.layout(0).binary).CombinedOutput()
		require.NoError(t, err)
		assert.Contains(t, string(out), "GOAMD64="+list[i].level)
		assert.Equal(t, list[i].unchecked, strings.Contains(string(out), "-gcflags=-B"))
		assert.Equal(t, list[i].instrumented, strings.Contains(string(out), "-tags=instrument"))
		records, err := p.runTarget(t.Context(), target.layout(0), "")
		require.NoError(t, err)
		assert.Equal(t, list[i].level, records[0].GetConfig("goamd64"))
	}

	guided := p.targets[1]
	guided.build = &build{level: "v2", pgo: true, unchecked: true}
	profile, err := p.record(t.Context(), guided)
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-raw", profile).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "cpu/nanoseconds")
	assert.True(t, guided.build.pgo, "the target stays as it is")
}

func TestSweep(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	p, chosen := answering(t, options{rounds: 6, out: out, workers: []int{1, 2}, tiles: []int{32}}, "12", func(target target, _ []string) string {
		return "BenchmarkSweep/scene=small/tile=32/workers=1-2 1 5 ns/op 100 rays/s\nBenchmarkSweep/scene=small/tile=32/workers=2-2 1 5 ns/op 190 rays/s\n"
	})
	status, stdout, stderr := execPlan(t.Context(), p, chosen)
	require.Zero(t, status, stderr)
	assert.Contains(t, stdout, "step 12, small scene, 80x60, 4 samples a pixel\n\n")
	assert.Contains(t, stdout, "95% (95 to 95)")
	set, err := results.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, results.OfSweep, set.Kind())
	assert.Len(t, set.Keys(), 2, "and no noise")
}

func TestSimulate(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	p, chosen := answering(t, options{rounds: 6, out: out, simulate: true}, "13", func(target target, _ []string) string {
		return "BenchmarkSchedule/scene=small/division=32/workers=1-2 1 0.99 efficiency\nBenchmarkSchedule/scene=small/division=32/workers=256-2 1 0.5 efficiency\n"
	})
	status, stdout, stderr := execPlan(t.Context(), p, chosen)
	require.Zero(t, status, stderr)
	assert.Contains(t, stdout, "step 13, efficiency on simulated processors, small scene, 80x60, 4 samples a pixel\n\n")
	assert.Contains(t, stdout, " tiles of 32x32       99%          50%\n")
	set, err := results.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, results.OfSchedules, set.Kind())
	assert.Len(t, set.Keys(), 2, "and no noise")
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "Unit efficiency better=higher\n\n"), string(text))
}

// This is the command as a reader calls it, at its shortest.
func TestSimulateAStep(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	var stdout, stderr bytes.Buffer
	status := command().Exec(t.Context(), []string{"-simulate", "-quick", "-num", "1", "-o", out}, &stdout, &stderr)
	require.Zero(t, status, stderr.String())
	set, err := results.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, results.OfSchedules, set.Kind())
	require.NoError(t, set.Whole())
	assert.Equal(t, []string{"small", "medium", "large"}, set.Scenes())
	for _, words := range []string{"large scene, 80x60", "tiles of 128x128", "rows", "equal parts", "256 workers"} {
		assert.Contains(t, stdout.String(), words)
	}
}

func TestTagsOfGoflags(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("levels are of amd64")
	}
	t.Setenv("GOFLAGS", "-tags=purego")
	_, err := newPlan(t.TempDir(), t.TempDir(), options{builds: []build{{level: "v1", instrumented: true}}}, steps.All()[:1])
	assert.EqualError(t, err, "GOFLAGS is -tags=purego, and +instrument would replace its tags; want it without")
	_, err = newPlan(t.TempDir(), t.TempDir(), options{builds: []build{{level: "v1"}}}, steps.All()[:1])
	assert.NoError(t, err)
}

// What can be swept is what has the benchmark.
func TestNoSweep(t *testing.T) {
	root := tree(t, map[string]string{
		"go.mod":           "module raysteps\n\ngo 1.26\n",
		"step02/a_test.go": "package step02\n" + imports + render,
		"step03/a_test.go": "package step03\n" + imports + render + "func BenchmarkSweep(b *testing.B) {}\nfunc BenchmarkSchedule(b *testing.B) {}\nfunc BenchmarkTimeline(b *testing.B) {}\n",
	})
	o := options{rounds: 1, workers: []int{1}}
	p, err := newPlan(root, t.TempDir(), o, steps.All()[2:3])
	require.NoError(t, err)
	require.NoError(t, p.build(t.Context(), silent()))
	p, err = newPlan(root, t.TempDir(), o, steps.All()[1:2])
	require.NoError(t, err)
	assert.EqualError(t, p.build(t.Context(), silent()), "step02 has no BenchmarkSweep; want a step that has one, such as -step 13")

	o = options{rounds: 1, simulate: true}
	p, err = newPlan(root, t.TempDir(), o, steps.All()[2:3])
	require.NoError(t, err)
	require.NoError(t, p.build(t.Context(), silent()))
	p, err = newPlan(root, t.TempDir(), o, steps.All()[1:2])
	require.NoError(t, err)
	assert.EqualError(t, p.build(t.Context(), silent()), "step02 has no BenchmarkSchedule; want a step that has one, such as -step 13")

	_, err = newPlan(root, t.TempDir(), options{experiments: true}, steps.All())
	assert.EqualError(t, err, "no package has a benchmark besides BenchmarkRender", "none of the others is an experiment")
}

func TestSpheres(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	p, chosen := answering(t, options{rounds: 6, out: out, spheres: []int{1, 1000}}, "1,4", func(target, []string) string {
		return "BenchmarkRender/spheres=1-2 1 5 ns/op 2 rays/op 100 rays/s\nBenchmarkRender/spheres=1000-2 1 5 ns/op 2 rays/op 7 rays/s\n"
	})
	status, stdout, stderr := execPlan(t.Context(), p, chosen)
	require.Zero(t, status, stderr)
	assert.Contains(t, stdout, "by number of spheres\n\n spheres  rays/s, step 1  rays/s, step 4\n")
	set, err := results.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, results.OfSpheres, set.Kind())
}

// The real benchmark takes the flag, and says no to what is none.
func TestSpheresOfAStep(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txt")
	var stdout, stderr bytes.Buffer
	status := command().Exec(t.Context(), []string{"-spheres", "1,100", "-step", "12", "-num", "1", "-o", out, "-watts", "65.5"}, &stdout, &stderr)
	require.Zero(t, status, stderr.String())
	set, err := results.ReadFile(out)
	require.NoError(t, err)
	sizes, err := set.Spheres()
	require.NoError(t, err)
	assert.Equal(t, []int{1, 100}, sizes)
	assert.Equal(t, "65.5", set.Config["watts"])
}

func TestExperiment(t *testing.T) {
	const constrained = "//go:build goexperiment.simd && amd64\n\npackage wide\n"
	root := tree(t, map[string]string{
		"go.mod":                "module raysteps\n\ngo 1.26\n",
		"step01/a_test.go":      "package step01\n" + imports + experiment,
		"beyond/wide/a.go":      "package wide\n",
		"beyond/wide/a_test.go": "package wide\n" + imports + experiment + "\nvar simd = true\n",
		"beyond/wide/simd.go":   constrained,
		"beyond/same/a_test.go": "// goexperiment.simd is not needed.\npackage same\n" + imports + experiment,
	})
	t.Setenv("GOEXPERIMENT", "")
	t.Setenv("GOFLAGS", "-mod=mod")
	value := func(p *plan) string {
		for _, c := range p.machine {
			if c.Key == "goexperiment" {
				return string(c.Value)
			}
		}
		return ""
	}
	p, err := newPlan(root, t.TempDir(), options{experiments: true, rounds: 1}, nil)
	require.NoError(t, err)
	require.Len(t, p.targets, 3)
	if !available(root, "GOEXPERIMENT=simd") {
		assert.Contains(t, p.note, "has no GOEXPERIMENT=simd for "+runtime.GOARCH+": beyond/wide built without it")
		assert.Empty(t, value(p))
		return
	}
	for _, target := range p.targets {
		want := []string(nil)
		if target.name == "beyond/wide" {
			want = []string{"GOEXPERIMENT=simd"}
		}
		assert.Equal(t, want, target.env, target.name)
	}
	assert.Equal(t, "Built with GOEXPERIMENT=simd: beyond/wide", p.note)
	assert.Equal(t, "simd for beyond/wide", value(p))
	require.NoError(t, p.build(t.Context(), silent()))
	for _, target := range p.targets {
		records, err := p.runTarget(t.Context(), target.layout(0), "")
		require.NoError(t, err)
		assert.Equal(t, "simd for beyond/wide", records[0].GetConfig("goexperiment"), "the same everywhere, for benchstat")
	}

	// Who has chosen the experiment has all built with it.
	t.Setenv("GOEXPERIMENT", "simd")
	p, err = newPlan(root, t.TempDir(), options{experiments: true, rounds: 1}, nil)
	require.NoError(t, err)
	assert.Empty(t, p.note)
	assert.Equal(t, "simd", value(p))
	assert.Empty(t, slices.Concat(p.targets[0].env, p.targets[1].env, p.targets[2].env))
}

func TestProfile(t *testing.T) {
	dir := t.TempDir()
	cpu, trace := filepath.Join(dir, "cpu.pprof"), filepath.Join(dir, "trace.out")
	tests := []struct {
		name string
		o    options
		fail bool
		want []string
	}{
		{"profile", options{cpuProfile: cpu}, false, []string{"cpu.pprof"}},
		{"trace", options{trace: trace}, false, []string{"trace.out"}},
		{"both", options{cpuProfile: cpu, trace: trace}, false, []string{"cpu.pprof", "trace.out"}},
		{"neither", options{}, false, nil},
		{"a run that fails", options{cpuProfile: cpu, trace: trace}, true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range names(t, dir) {
				require.NoError(t, os.Remove(filepath.Join(dir, name)))
			}
			tt.o.rounds = 2
			tt.o.out = filepath.Join(t.TempDir(), "a.txt")
			profiled := 0
			p, chosen := fake(t, tt.o, "4", func(call int, _ string, args []string) error {
				for i, arg := range args {
					if arg != "-test.cpuprofile" && arg != "-test.trace" {
						continue
					}
					profiled = call
					assert.Equal(t, dir, filepath.Dir(args[i+1]))
					require.NoError(t, os.WriteFile(args[i+1], []byte(arg), 0o600))
				}
				if tt.fail && profiled > 0 {
					return errors.New("exit status 1")
				}
				return nil
			})
			status, stdout, stderr := execPlan(t.Context(), p, chosen)
			assert.Equal(t, tt.want, names(t, dir))
			set, err := results.ReadFile(tt.o.out)
			require.NoError(t, err)
			assert.Equal(t, 2, set.Rounds(), "the run for the profile does not count")
			if tt.fail {
				assert.Equal(t, "bench: profiling step04: exit status 1\n", stderr)
				assert.Equal(t, 1, status)
				return
			}
			require.Zero(t, status, stderr)
			for _, name := range tt.want {
				assert.Contains(t, stdout, " is in "+filepath.Join(dir, name)+"\n")
				assert.Equal(t, 3, profiled)
			}
		})
	}
}

// The test binary takes the flags as they are passed.
func TestProfileOfAStep(t *testing.T) {
	dir := t.TempDir()
	cpu, trace := filepath.Join(dir, "cpu.pprof"), filepath.Join(dir, "trace.out")
	var stdout, stderr bytes.Buffer
	status := command().Exec(t.Context(), []string{"-step", "12", "-quick", "-num", "1", "-o", filepath.Join(dir, "a.txt"), "-cpuprofile", cpu, "-trace", trace}, &stdout, &stderr)
	require.Zero(t, status, stderr.String())
	assert.Equal(t, []string{"a.txt", "cpu.pprof", "trace.out"}, names(t, dir))
	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(text, []byte("go 1.")), "an execution trace")
	out, err := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-top", cpu).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "raysteps/step12")
}

// The examples of benchstat in the help text do what they say.
func TestBenchstatExamples(t *testing.T) {
	dir := t.TempDir()
	write := func(name, list string, o options, answer func(target, []string) string) {
		o.rounds, o.out = 6, filepath.Join(dir, name)
		p, chosen := answering(t, o, list, answer)
		status, _, stderr := execPlan(t.Context(), p, chosen)
		require.Zero(t, status, stderr)
	}
	scene := func(target, []string) string {
		return "BenchmarkRender/scene=small-2 1 5 ns/op 2 rays/op 100 rays/s\nBenchmarkRender/scene=large-2 1 5 ns/op 2 rays/op 100 rays/s\n"
	}
	write("FILE", "1,3-4", options{}, scene)
	write("BEFORE", "4", options{}, scene)
	write("AFTER", "4", options{}, scene)
	write("BUILDS", "1,4", options{builds: []build{{level: "v1"}, {level: "v3", pgo: true}, {level: "v1", unchecked: true}}}, scene)
	write("SPHERES", "1,4", options{spheres: []int{1, 10}}, func(target, []string) string {
		return "BenchmarkRender/spheres=1-2 1 5 ns/op 2 rays/op 100 rays/s\nBenchmarkRender/spheres=10-2 1 5 ns/op 2 rays/op 7 rays/s\n"
	})
	write("SCHEDULES", "13", options{simulate: true}, func(target, []string) string {
		return "BenchmarkSchedule/scene=small/division=8/workers=1-2 1 0.9 efficiency\nBenchmarkSchedule/scene=small/division=8/workers=2-2 1 0.8 efficiency\n"
	})
	write("SWEEPS", "12", options{workers: []int{1, 2}}, func(target, []string) string {
		return "BenchmarkSweep/scene=small/tile=8/workers=1-2 1 5 ns/op 100 rays/s\nBenchmarkSweep/scene=small/tile=8/workers=2-2 1 5 ns/op 190 rays/s\n"
	})
	found := 0
	for line := range strings.Lines(command().Examples) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		rest, ok := strings.CutPrefix(line, "go tool benchstat ")
		if !ok {
			continue
		}
		found++
		t.Run(strings.TrimSpace(rest), func(t *testing.T) {
			args := []string{"tool", "benchstat"}
			for i, part := range strings.Split(rest, `"`) { // what is quoted is one word
				switch {
				case i%2 == 1:
					args = append(args, part)
				default:
					args = append(args, strings.Fields(part)...)
				}
			}
			for i, arg := range args {
				if _, err := os.Stat(filepath.Join(dir, arg)); err == nil {
					args[i] = filepath.Join(dir, arg)
				}
			}
			out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
			require.NoError(t, err, string(out))
			tables := strings.Count(string(out), "│ ") // a table has a line of columns
			assert.NotZero(t, tables)
			if !strings.Contains(rest, "SCHEDULES") {
				assert.Contains(t, string(out), "rays/s")
			}
			// One table for a unit: all that is compared stands side by side.
			assert.LessOrEqual(t, strings.Count(string(out), "goos: "), 1, string(out))
			assert.NotContains(t, string(out), "missing")
			switch {
			case strings.Contains(rest, "SWEEPS"), strings.Contains(rest, "SCHEDULES"):
				assert.Regexp(t, `│ +1 +│ +2 +│`, string(out))
			case strings.Contains(rest, "BUILDS"):
				assert.Regexp(t, `│ +checked +│ +unchecked +│ +checked +│`, string(out))
			case strings.Contains(rest, "AFTER"):
				assert.Contains(t, string(out), "vs base")
			default:
				assert.Regexp(t, `│ +raysteps/step0[13] +│.*raysteps/step04`, string(out))
			}
		})
	}
	assert.GreaterOrEqual(t, found, 7)
}

func TestSamples(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-samples -1", "-samples is -1; want 1 to 1048576"},
		{"-samples 1048577", "-samples is 1048577; want 1 to 1048576"},
		{"-samples 1 -experiments", "-samples is for the steps and for -builds; want it without -experiments"},
		{"-size 320x180 -quick", "-size and -quick exclude each other; want one of them"},
		{"-size 320x0", `-size is "320x0"; want width and height, such as 320x180`},
		{"-size small", `-size is "small"; want width and height, such as 320x180`},
		{"-size 320x180 -experiments", "-size is for the steps and for -builds; want it without -experiments"},
		{"-samples 1 -workers 1", "-samples is for the steps and for -builds; want it without -workers"},
	} {
		var out, errs bytes.Buffer
		status := command().Exec(t.Context(), strings.Fields(tt.args), &out, &errs)
		assert.Equal(t, cli.ExitMisuse, status, tt.args)
		assert.Equal(t, "bench: "+tt.want+"\n", errs.String(), tt.args)
	}
	small := plan{options: options{size: "320x180"}}
	assert.Subset(t, small.arguments(target{}), []string{"-size", "320x180", "-test.benchtime", "100ms"})
	p := plan{options: options{samples: 2}}
	assert.Subset(t, p.arguments(target{}), []string{"-size", "full", "-samples", "2", "-test.benchtime", "100ms"})
}
