package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
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
		case "clear":
			fmt.Println("ok")
			id = 0
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
	chosen, err := steps.Parse("4,12")
	require.NoError(t, err)
	s := launch.NewSlicer()
	s.Binaries = [][]string{{self}}
	p := &plan{source: s, slicer: s, extent: extent{Schedule: launch.Schedule{Orders: 2, Launches: 1}}}
	for _, scene := range []string{"small", "large"} {
		g := launch.Group{Title: scene + " scene", Cycles: 2}
		for _, step := range chosen {
			g.Subjects = append(g.Subjects, launch.Subject{Package: step.Package(), Name: "Render/scene=" + scene,
				Slot: launch.Slot{Build: 0, Variant: step.Name, Scene: scene, Settings: common.Settings{Width: 4, Height: 3, Samples: 1, Workers: 1}}})
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
