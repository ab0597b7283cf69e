package main

import (
	"context"
	_ "embed"
	"errors"
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
	chosen                           []steps.Step // nil for the default of a kind
	limit                            time.Duration
	quick, counts, pictures, spheres bool
	builds                           []build
	against, experiments, out        string
}

// setup declares the flags and returns what runs once they are read.
func setup(flags *flag.FlagSet) cli.Run {
	var o options
	flags.Func("step", "measure a `list` of steps: 4, or 1,3-5, or step04, or avx512", func(list string) (err error) {
		o.chosen, err = steps.Parse(list)
		return err
	})
	flags.StringVar(&o.against, "against", "", "measure one step against a `revision` of git, such as HEAD")
	flags.Func("builds", "measure a `list` of builds of the steps, such as v1,v3+pgo or go1.26.8,go1.27.4", func(list string) (err error) {
		o.builds, err = readBuilds(list)
		return err
	})
	flags.BoolVar(&o.counts, "counts", false, "count instructions, loads, stores and branches per ray by valgrind, exactly")
	flags.StringVar(&o.experiments, "experiments", "", "measure benchmarks of packages, by a list of `names` such as Layout or Workers,Tiles, or all that the chapters show")
	flags.BoolVar(&o.pictures, "pictures", false, "measure whole pictures of 1280x720 beside slices of them")
	flags.BoolVar(&o.spheres, "spheres", false, "measure scenes of 2 to 1,000,000 spheres, on one core")
	flags.Func("time", "measure for about so `long`, such as 60s, linking included", func(text string) (err error) {
		if o.limit, err = time.ParseDuration(text); err != nil || o.limit <= 0 {
			return errors.New("want a number above 0 and its unit, such as 60s")
		}
		return nil
	})
	flags.BoolVar(&o.quick, "quick", false, "take about a minute and a half, with wider intervals; steps 1 to 13 if -step names no others")
	flags.Func("o", "write the measurements to this `file`", func(name string) error {
		o.out = name
		return outfile.Check("results", name)
	})
	return func(ctx context.Context, env *cli.Env, _ []string) error {
		kind, err := kindOf(flags)
		if err != nil {
			return err
		}
		if _, ok := kind.(*against); ok && len(o.chosen) != 1 {
			return cli.Misuse("-against takes one step; want -step with its number")
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

// kindOf returns what the flags ask for: the steps, or one other thing.
func kindOf(flags *flag.FlagSet) (asked kind, err error) {
	kinds := map[string]kind{"against": &against{}, "builds": builds{}, "counts": counts{}, "experiments": experiments{}, "pictures": pictures{}, "spheres": spheres{}}
	var names []string
	flags.Visit(func(f *flag.Flag) {
		if k := kinds[f.Name]; k != nil {
			asked, names = k, append(names, "-"+f.Name)
		}
	})
	switch len(names) {
	case 0:
		return &renders{}, nil
	case 1:
		return asked, nil
	}
	return nil, cli.Misuse("%s measure different things; want one of them", strings.Join(names, " and "))
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
