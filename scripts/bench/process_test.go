package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// standInAnswers is the variable of the environment that makes this test binary
// stand in for a launcher, and says how it answers.
const standInAnswers = "RAYSTEPS_BENCH_STAND_IN"

func standIn(answers string) {
	counted := len(os.Args) > 1 && os.Args[1] == "-counters"
	if counted && answers == "no counters" {
		fmt.Println("error this abacus counts nothing")
		os.Exit(1)
	}
	fmt.Println("ok")
	id := 0
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		switch words := strings.Fields(in.Text()); words[0] {
		case "prepare":
			picture, kernel := "f00d", "-"
			if answers == "pictures that change" {
				picture = fmt.Sprint(os.Getpid())
			}
			if words[1] == "step12" {
				kernel = "plain"
			}
			fmt.Println("ok", id, 100, picture, kernel)
			id++
		case "turn":
			answer := "ok 2 200 1000"
			if counted {
				answer += " 400 800 0 6"
			}
			if answers == "nonsense" {
				answer = "ok 2 many"
			}
			fmt.Println(answer)
		case "full":
			fmt.Println("ok 3000 2000000000 165 100000000")
		}
	}
}

// standInPlan is a plan of two steps in two scenes, with that launcher.
func standInPlan(t *testing.T, answers string) (*plan, []steps.Step) {
	t.Helper()
	t.Setenv(standInAnswers, answers)
	self, err := os.Executable()
	require.NoError(t, err)
	chosen, err := steps.Select("4,12")
	require.NoError(t, err)
	s := &slicer{binaries: [][]string{{self}}, pictures: map[string]map[int]picture{}, kernels: map[string]string{}}
	p := &plan{source: s, slicer: s, extent: extent{schedule: schedule{orders: 2, launches: 1}}}
	for _, scene := range []string{"small", "large"} {
		g := group{title: scene + " scene", cycles: 2}
		for _, step := range chosen {
			g.subjects = append(g.subjects, subject{pkg: step.Package(), name: "Render/scene=" + scene,
				slot: slot{0, step.Name, scene, common.Settings{Width: 4, Height: 3, Samples: 1, Workers: 1}}})
		}
		p.groups = append(p.groups, g)
	}
	return p, chosen
}

func TestStandIn(t *testing.T) {
	tests := []struct {
		name, answers  string
		o              options
		status         int
		stdout, stderr string // what they hold
	}{
		{"slices", "well", options{}, cli.ExitOK, "small scene\n\n", ""},
		{"a kernel that is not the step's own", "well", options{}, cli.ExitOK, "AVX2 and FMA, in plain Go", ""},
		{"counters", "well", options{counters: true}, cli.ExitOK, "4  large                 2           4                  0              0.03\n", ""},
		{"no counters", "no counters", options{counters: true}, cli.ExitOK, "Without counters: this abacus counts nothing\n\nsmall scene\n\n", ""},
		{"whole pictures", "well", options{full: true}, cli.ExitOK, "2.000s                  1.100", ""},
		{"another picture", "pictures that change", options{}, cli.ExitFailure, "Stopped early: 1 of 2 launches are finished and kept.\n",
			" rendered another picture in another launch: 100 rays, "},
		{"nonsense", "nonsense", options{}, cli.ExitFailure, "", `Render/scene=`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, chosen := standInPlan(t, tt.answers)
			tt.o.out = filepath.Join(t.TempDir(), "a.txt")
			status, stdout, stderr := execute(t.Context(), func(ctx context.Context, env *cli.Env) error {
				return p.run(ctx, env, t.TempDir(), tt.o, chosen)
			})
			assert.Equal(t, tt.status, status, stderr)
			assert.Contains(t, stdout, tt.stdout)
			if tt.stderr == "" {
				assert.Empty(t, stderr)
				assert.FileExists(t, tt.o.out)
				return
			}
			assert.Contains(t, stderr, tt.stderr)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		})
	}
}

// The bar says how wide the noise is once there is an interval.
func TestNoiseInProgress(t *testing.T) {
	p, _ := standInPlan(t, "well")
	out := filepath.Join(t.TempDir(), "a.txt")
	noise := p.noise(out)
	assert.Empty(t, noise(), "no file yet")
	f, err := newFile(out, nil, results.OfSteps)
	require.NoError(t, err)
	first := steps.All()[0]
	for launch := 1; launch <= 3; launch++ {
		rate := 1 + float64(launch)/1000
		require.NoError(t, f.append([]record{
			{subject: subject{pkg: first.Package(), name: "Render/scene=small"}, order: launch, launch: launch, values: values{"rays/s": 1}},
			{subject: subject{pkg: results.Again(first), name: "Render/scene=small"}, order: launch, launch: launch, values: values{"rays/s": rate}},
		}))
		if launch == 1 {
			assert.Empty(t, noise(), "one launch has no interval")
		}
	}
	assert.Equal(t, ", noise row ±0.2 %", noise())
}

// sharedFolder holds what several tests use, and TestMain removes it.
var sharedFolder string

// realLauncher builds a launcher of two steps and a copy of the first.
var realLauncher = sync.OnceValues(func() (string, error) {
	root, err := cli.ModuleRoot()
	if err != nil {
		return "", err
	}
	if sharedFolder, err = os.MkdirTemp("", "raysteps-bench-test-"); err != nil {
		return "", err
	}
	l := &linker{root: root, bin: sharedFolder}
	overlay, err := l.overlay(filepath.Join(l.bin, "launcher"), []steps.Step{steps.All()[0], steps.All()[3]}, true, true)
	if err != nil {
		return "", err
	}
	binaries, err := l.link(context.Background(), silent(), "the steps", build{}, []string{"build"}, overlay, "", "./"+launcherDir, 1)
	if err != nil {
		return "", err
	}
	return binaries[0], nil
})

// startReal starts that launcher.
func startReal(ctx context.Context, t *testing.T) *process {
	t.Helper()
	binary, err := realLauncher()
	require.NoError(t, err)
	p, err := startProcess(ctx, binary)
	require.NoError(t, err)
	t.Cleanup(p.close)
	return p
}

func TestLauncher(t *testing.T) {
	p := startReal(t.Context(), t)
	var rendered []picture
	for i, variant := range []string{"step01", again, "step04"} {
		answer, err := p.ask("prepare %s small 16 9 2 1", variant)
		require.NoError(t, err)
		var id int
		var got picture
		var kernel string
		_, err = fmt.Sscan(answer, &id, &got.rays, &got.md5, &kernel)
		require.NoError(t, err, answer)
		assert.Equal(t, i, id)
		assert.Equal(t, "-", kernel)
		assert.Greater(t, got.rays, int64(16*9*2))
		rendered = append(rendered, got)
	}
	assert.Equal(t, rendered[0], rendered[1], "the copy is the same code")

	answer, err := p.ask("turn 2 %d", time.Millisecond)
	require.NoError(t, err)
	var renders, rays, nanoseconds int64
	_, err = fmt.Sscan(answer, &renders, &rays, &nanoseconds)
	require.NoError(t, err, answer)
	assert.Equal(t, renders*rendered[2].rays, rays)
	assert.GreaterOrEqual(t, nanoseconds, time.Millisecond.Nanoseconds())

	answer, err = p.ask("prepare step01 spheres=3 4 3 1 1")
	require.NoError(t, err)
	assert.Regexp(t, `^3 \d+ [0-9a-f]{32} -$`, answer)

	for request, want := range map[string]string{
		"dance":                           `unknown request "dance"`,
		"prepare step02 small 16 9 2 1":   `unknown variant "step02"`,
		"prepare step01 dark 16 9 2 1":    `unknown scene "dark"; want small, medium, large`,
		"prepare step01 spheres=x 16 9 2": "EOF",
		"turn 9 1":                        "no slice 9",
	} {
		_, err := p.ask("%s", request)
		assert.ErrorContains(t, err, want)
	}
	_, err = p.ask("turn 0 1")
	assert.NoError(t, err, "it goes on")
}

func TestLauncherEnds(t *testing.T) {
	t.Run("killed", func(t *testing.T) {
		p := startReal(t.Context(), t)
		require.NoError(t, p.cmd.Process.Kill())
		_, err := p.ask("turn 0 1")
		require.Error(t, err)
		assert.Regexp(t, "^the launcher ended: (signal: killed|exit status 1)$", err.Error())
	})
	t.Run("panic", func(t *testing.T) {
		p := startReal(t.Context(), t)
		_, err := p.ask("prepare step01 small 0 0 1 1")
		assert.EqualError(t, err, "the launcher ended: exit status 2: panic: film: size is 0x0; want positive sides")
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := startReal(ctx, t)
		cancel()
		_, err := p.ask("prepare step01 large 1280 720 100 1")
		assert.Equal(t, context.Canceled, err)
	})
	t.Run("missing", func(t *testing.T) {
		_, err := startProcess(t.Context(), filepath.Join(t.TempDir(), "missing"))
		require.ErrorIs(t, err, os.ErrNotExist)
		assert.NotContains(t, err.Error(), "\n")
	})
}

func TestProfile(t *testing.T) {
	binary, err := realLauncher()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "a.pprof")
	require.NoError(t, writeProfile(t.Context(), binary, file, []slot{{0, "step04", "large", common.Settings{Width: 16, Height: 9, Samples: 1, Workers: 1}}}))
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	parsed, err := profile.Parse(f)
	require.NoError(t, err)
	found := false
	for _, function := range parsed.Function {
		found = found || strings.HasPrefix(function.Name, "raysteps/step04.")
	}
	assert.True(t, found, "the step is in its profile")

	err = writeProfile(t.Context(), binary, filepath.Join(t.TempDir(), "missing", "a.pprof"), nil)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "\n")
}
