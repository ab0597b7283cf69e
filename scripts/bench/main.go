package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cachegrind"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{Name: "bench", Synopsis: "[flags]", Manual: manual, Setup: setup}

// bench is a run of the command. It goes through its methods from top to bottom: choose what
// takes part, find its benchmarks, measure, print.
type bench struct {
	// What the flags say.
	steps                     []steps.Step // nil if none were named
	limit                     time.Duration
	quick, counts             bool
	builds                    []*version
	against, experiments, out string

	env       *cli.Env
	root, tmp string // folders: of the module, and for what is built
	start     time.Time
	clocks    []float64 // in GHz, one in each link order
	versions  []*version
	measure.Measurement

	counted   []*benchfmt.Result
	uncounted error        // of -against: why nothing was counted
	changed   error        // and which scenes have another picture
	set       *results.Set // of all lines, once it is over
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
		b.builds, err = readBuilds(list)
		return err
	})
	flags.BoolVar(&b.counts, "counts", false, "count instructions, loads, stores and branches per ray by valgrind, exactly")
	flags.StringVar(&b.experiments, "experiments", "", "measure benchmarks of packages, by a list of `names` such as Layout,Sharing, or all that the chapters show")
	flags.DurationVar(&b.limit, "time", 0, "measure for about so `long`, such as 60s, linking included")
	flags.BoolVar(&b.quick, "quick", false, "take about a minute and a half, with wider intervals; steps 1 to 13 if -step names no others")
	flags.StringVar(&b.out, "o", "", "write the measurements to this `file`")
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

// run measures what the flags ask for and prints what it found.
func (b *bench) run(ctx context.Context) (err error) {
	if b.tmp, err = os.MkdirTemp("", "raysteps-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	if err := b.choose(ctx); err != nil {
		return err
	}
	unlock, err := measure.Lock(ctx, b.env.Stderr)
	if err != nil {
		return err
	}
	defer unlock()
	b.start = time.Now()
	stopped := b.measure(ctx)
	lines := append(linesOf(b.Lines()), b.counted...)
	if len(lines) == 0 {
		return cmp.Or(stopped, fmt.Errorf("nothing was measured; want benchmarks that are not skipped here, with slices of at most %v", longest))
	}
	if b.set, err = results.NewSet(lines, "this run"); err != nil {
		return err
	}
	if stopped != nil {
		fmt.Fprint(b.env.Stdout, "Stopped early: what is finished is kept.\n\n")
	}
	err = cmp.Or(stopped, b.print())
	if !b.recorded() {
		return err
	}
	for _, line := range lines {
		if b.clocks != nil {
			results.SetConfig(line, "cpu-clock", fmt.Sprintf("%.2f GHz", estimate.Median(b.clocks)))
		}
	}
	file, failed := results.Record(ctx, b.root, b.out, lines)
	if failed != nil {
		return failed
	}
	fmt.Fprintf(b.env.Stdout, "The measurements are in %s.\nThey take the place of earlier ones of the same.\n", file)
	if b.out == "" {
		fmt.Fprint(b.env.Stdout, "To see them in the README and the pages: go run ./scripts/readme; to take them out again: go run ./scripts/readme -reset\n")
	}
	return err
}

// measure takes the time that the flags say, or counts. Of -against it does both: counts have
// the time that is left, a quarter at least, and no figure waits for one.
func (b *bench) measure(ctx context.Context) error {
	if b.counts {
		return b.count(ctx)
	}
	bar := b.env.Progress(int64(b.limit/time.Second), "measuring")
	defer bar.Finish()
	if err := b.find(ctx); err != nil {
		return err
	}
	b.Before = func(int) {
		bar.Set(int(time.Since(b.start) / time.Second))
		b.clocks = append(b.clocks, results.Clock()) // which changes from second to second
	}
	end := b.start.Add(b.limit)
	if b.End = end; b.against != "" {
		b.End = b.start.Add(b.limit * 3 / 4)
	}
	if err := b.Run(ctx); err != nil || b.against == "" {
		return err
	}
	bar.Finish()
	limited, cancel := context.WithDeadlineCause(ctx, end, errors.New("the time was over; want a longer -time"))
	defer cancel()
	if err := cachegrind.Works(limited); err != nil {
		b.uncounted = cmp.Or(context.Cause(limited), err)
	} else if err := b.count(limited); err != nil {
		b.uncounted = cmp.Or(context.Cause(limited), err)
	}
	return ctx.Err()
}

// count counts the versions, all or none.
func (b *bench) count(ctx context.Context) error {
	var all []*benchfmt.Result
	for _, v := range b.versions {
		if strings.HasSuffix(v.config[buildKey], again) {
			continue
		}
		counted, err := toolchain.Count(ctx, b.env, cmp.Or(v.root, b.root), b.tmp, v.variables(), steps.Packages(b.chosen()), scene.Names())
		if err != nil {
			return err
		}
		for _, line := range counted {
			for key, value := range v.config {
				results.SetConfig(line, key, value)
			}
		}
		all = append(all, counted...)
	}
	b.counted = all
	return nil
}
