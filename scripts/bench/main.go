package main

import (
	"context"
	_ "embed"
	"flag"
	"strings"
	"time"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{Name: "bench", Synopsis: "[flags]", Manual: manual, Setup: setup}

// options are what the flags say.
type options struct {
	chosen                            []steps.Step // nil for the default of a kind
	limit                             time.Duration
	quick, counts, pictures, spheres  bool
	against, builds, experiments, out string
}

// setup declares the flags and returns what runs once they are read.
func setup(flags *flag.FlagSet) cli.Run {
	var o options
	flags.Func("step", "measure a `list` of steps: 4, or 1,3-5, or step04, or avx512", func(list string) (err error) {
		o.chosen, err = steps.Parse(list)
		return err
	})
	flags.StringVar(&o.against, "against", "", "measure one step against a `revision` of git, such as HEAD")
	flags.StringVar(&o.builds, "builds", "", "measure a `list` of builds of the steps, such as v1,v3+pgo or go1.26.8,go1.27.4")
	flags.BoolVar(&o.counts, "counts", false, "count instructions, loads, stores and branches per ray by valgrind, exactly")
	flags.StringVar(&o.experiments, "experiments", "", "measure benchmarks of packages, by a list of `names` such as Layout or Workers,Tiles, or all that the chapters show")
	flags.BoolVar(&o.pictures, "pictures", false, "measure whole pictures of 1280x720 beside slices of them")
	flags.BoolVar(&o.spheres, "spheres", false, "measure scenes of 2 to 1,000,000 spheres, on one core")
	flags.DurationVar(&o.limit, "time", 0, "measure for about so `long`, such as 60s, linking included")
	flags.BoolVar(&o.quick, "quick", false, "take about a minute and a half, with wider intervals; steps 1 to 13 if -step names no others")
	flags.Func("o", "write the measurements to this `file`", func(name string) error {
		o.out = name
		return outfile.Check("results", name)
	})
	return func(ctx context.Context, env *cli.Env, _ []string) error {
		kind, err := o.kind(flags)
		if err != nil {
			return err
		}
		return run(ctx, env, kind, o)
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

// kind returns what the flags ask for: the steps, or one other thing.
func (o *options) kind(flags *flag.FlagSet) (kind, error) {
	var asked kind = &renders{}
	var names []string
	flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "against":
			asked = &against{revision: o.against}
		case "builds":
			asked = &builds{}
		case "counts":
			asked = counts{}
		case "experiments":
			asked = experiments{}
		case "pictures":
			asked = pictures{}
		case "spheres":
			asked = spheres{}
		default:
			return
		}
		names = append(names, "-"+f.Name)
		if f.Value.String() == "" {
			names = append(names, "with nothing")
		}
	})
	if len(names) > 1 {
		return nil, cli.Misuse("%s: want one thing to measure, and what of it", strings.Join(names, " "))
	}
	return asked, nil
}

// choose returns the steps that were asked for, or those of a selection, or all.
func (o *options) choose(selection string) ([]steps.Step, error) {
	if o.chosen != nil {
		return o.chosen, nil
	}
	if selection == "" {
		return steps.All(), nil
	}
	return steps.Parse(selection)
}
