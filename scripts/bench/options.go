package main

import (
	"cmp"
	"context"
	"flag"
	"slices"
	"strings"
	"time"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

// options are what the flags say. Only setup writes them.
type options struct {
	steps         []steps.Step // nil if none were named
	limit         time.Duration
	quick, counts bool
	builds        []*version
	against       string // a revision
	experiments   string // names of benchmarks, with commas between
	out           string // a file
}

// setup declares the flags and returns what runs once they are read.
func setup(flags *flag.FlagSet) cli.Run {
	var b bench
	flags.Func("step", "measure a `list` of steps: 4, or 1,3-5, or step04, or avx512", func(list string) (err error) {
		b.steps, err = steps.Parse(list)
		return err
	})
	flags.StringVar(&b.against, "against", "", "measure one step against a `revision` of git, such as HEAD")
	flags.Func("builds", "measure a `list` of builds of the steps, of -experiments or -counts, such as v1,v3+pgo or go1.26.8,go1.27.4", func(list string) (err error) {
		b.builds, err = parseBuilds(list)
		return err
	})
	flags.BoolVar(&b.counts, "counts", false, "count instructions, loads, stores and branches per ray by valgrind, exactly")
	flags.StringVar(&b.experiments, "experiments", "", "measure benchmarks of packages, by a list of `names` such as Layout,Sharing, or all that the chapters show")
	flags.DurationVar(&b.limit, "time", 0, "measure for about so `long`, such as 60s, linking included")
	flags.BoolVar(&b.quick, "quick", false, "take about a minute and a half, with wider intervals; steps 1 to 13 if -step names no others")
	flags.StringVar(&b.out, "o", "", "write the measurements to this `file`, in the place of earlier ones of the same")
	return func(ctx context.Context, env *cli.Env, _ []string) (err error) {
		flags.Visit(func(f *flag.Flag) {
			if v, ok := f.Value.(flag.Getter); ok && (v.Get() == "" || f.Name == "time" && b.limit <= 0) {
				err = cli.Misuse("-%s=%v: want a name, or a time above 0, or leave it out", f.Name, f.Value)
			}
		})
		b.env = env
		if err = cmp.Or(err, b.refuse(ctx)); err != nil {
			return err
		}
		return b.run(ctx)
	}
}

// recorded reports whether measurements go to a file. Those of -against are for no page.
func (o *options) recorded() bool { return o.out != "" || o.against == "" }

// names returns the benchmarks that take part, without "Benchmark"; or all.
func (o *options) names() []string { return strings.Split(cmp.Or(o.experiments, "Render"), ",") }

// selects reports whether a benchmark function takes part. Functions of all steps, of an execution
// trace, and what scripts/peers measures are not among all.
func (o *options) selects(function string) bool {
	names, name := o.names(), strings.TrimPrefix(function, "Benchmark")
	apart := []string{"Render", "Slice", "Full", "Sizes", "Thumbnail", "Picture", "Race", "Rays"}
	return slices.Contains(names, name) || names[0] == "all" && !slices.Contains(apart, name)
}
