package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/steps"
)

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{Name: "bench", Synopsis: "[flags]", Manual: manual, Setup: setup}

// options are what the flags say.
type options struct {
	chosen []steps.Step // nil for the default of a kind
	limit  time.Duration
	quick  bool
	out    string
}

// setup declares the flags and returns what runs once they are read.
func setup(flags *flag.FlagSet) cli.Run {
	var o options
	var asked kind = &renders{limit: 11*time.Minute + 15*time.Second, again: true}
	chosen := "" // the flag that chose another kind
	choose := func(name string, k kind, usage string, read func(value string) error) {
		set := func(value string) error {
			if chosen != "" {
				return fmt.Errorf("-%s measures something else; want one of them", chosen)
			}
			chosen, asked = name, k
			return read(value)
		}
		if strings.Contains(usage, "`") {
			flags.Func(name, usage, set)
		} else {
			flags.BoolFunc(name, usage, set)
		}
	}
	filled := func(text *string) func(string) error {
		return func(value string) error {
			if *text = value; value == "" {
				return errors.New("it is empty")
			}
			return nil
		}
	}
	nothing := func(string) error { return nil }
	flags.Func("step", "measure a `list` of steps: 4, or 1,3-5, or step04, or avx512", func(list string) (err error) {
		o.chosen, err = steps.Parse(list)
		return err
	})
	against, experiments := new(against), new(experiments)
	builds := &renders{orders: 20, limit: 10 * time.Minute}
	choose("against", against, "measure one step against a `revision` of git, such as HEAD", filled(&against.revision))
	choose("builds", builds, "measure a `list` of builds of the steps, such as v1,v3+pgo or go1.26.8,go1.27.4", func(list string) (err error) {
		builds.builds, err = launch.ReadBuilds(list)
		return err
	})
	choose("counts", counts{}, "count instructions, loads, stores and branches a ray by valgrind, exactly", nothing)
	choose("experiments", experiments, "measure benchmarks of packages, by a list of `names` such as Layout or Workers,Tiles, or all that the chapters show", filled(&experiments.names))
	choose("pictures", &renders{orders: fewest, limit: time.Hour, again: true, pictures: true}, "measure whole pictures of 1280x720 beside slices of them", nothing)
	choose("spheres", &renders{selection: "12,wavefront,tree", orders: 6, limit: 15 * time.Minute, sizes: true}, "measure scenes of 2 to 1,000,000 spheres, on one core", nothing)
	flags.DurationVar(&o.limit, "time", 0, "measure for about so `long`, such as 60s, linking included")
	flags.BoolVar(&o.quick, "quick", false, "take about a minute and a half, with wider intervals; steps 1 to 13 if -step names no others")
	flags.Func("o", "write the measurements to this `file`", func(name string) error {
		o.out = name
		return outfile.Check("results", name)
	})
	return func(ctx context.Context, env *cli.Env, _ []string) error {
		return run(ctx, env, asked, o)
	}
}

// kind is something that bench measures.
type kind interface {
	// plan says what takes part.
	plan(ctx context.Context, m *measurement) error
	// print says what came out. An error that it returns is of what was found, such as a
	// picture that changed.
	print(m *measurement) error
}

// choose returns the steps that were asked for, or those of a selection.
func (o *options) choose(selection string) ([]steps.Step, error) {
	if o.chosen != nil {
		return o.chosen, nil
	}
	if selection == "" {
		return steps.All(), nil
	}
	return steps.Parse(selection)
}
