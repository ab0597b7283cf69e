package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
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
	builds                    []map[string]string
	against, experiments, out string

	env       *cli.Env
	root, tmp string // folders: of the module, and for what is built
	start     time.Time
	versions  []*version
	files     int // in tmp
	measure.Measurement

	counted []*benchfmt.Result
	changed []string     // scenes of which -against has another picture
	set     *results.Set // of all lines, once it is over
}

// setup declares the flags and returns what runs once they are read.
func setup(flags *flag.FlagSet) cli.Run {
	var b bench
	flags.Func("step", "measure a `list` of steps: 4, or 1,3-5, or step04, or avx512", func(list string) (err error) {
		b.steps, err = steps.Parse(list)
		return err
	})
	flags.StringVar(&b.against, "against", "", "measure one step against a `revision` of git, such as HEAD")
	flags.Func("builds", "measure a `list` of builds of the steps, or of -experiments, such as v1,v3+pgo or go1.26.8,go1.27.4", func(list string) (err error) {
		b.builds, err = readBuilds(list)
		return err
	})
	flags.BoolVar(&b.counts, "counts", false, "count instructions, loads, stores and branches per ray by valgrind, exactly")
	flags.StringVar(&b.experiments, "experiments", "", "measure benchmarks of packages, by a list of `names` such as Layout or Workers,Tiles, or all that the chapters show")
	flags.Func("time", "measure for about so `long`, such as 60s, linking included", func(text string) (err error) {
		if b.limit, err = time.ParseDuration(text); err != nil || b.limit <= 0 {
			return errors.New("want a number above 0 and its unit, such as 60s")
		}
		return nil
	})
	flags.BoolVar(&b.quick, "quick", false, "take about a minute and a half, with wider intervals; steps 1 to 13 if -step names no others")
	flags.Func("o", "write the measurements to this `file`", func(name string) error {
		b.out = name
		return results.Check(name)
	})
	return func(ctx context.Context, env *cli.Env, _ []string) error {
		kinds, empty := []string(nil), ""
		flags.Visit(func(f *flag.Flag) {
			switch f.Name {
			case "against", "builds", "counts", "experiments":
				kinds = append(kinds, "-"+f.Name)
				if f.Value.String() == "" && f.Name != "builds" { // whose flag has no text
					empty = f.Name
				}
			}
		})
		switch {
		case empty != "":
			return cli.Misuse("-%s is empty; want a value, or leave it out", empty)
		case len(kinds) > 1 && !slices.Equal(kinds, []string{"-builds", "-experiments"}):
			return cli.Misuse("%s measure different things; want one of them", strings.Join(kinds, " and "))
		case b.against != "" && len(b.steps) != 1:
			return cli.Misuse("-against takes one step; want -step with its number")
		}
		b.env = env
		return b.run(ctx)
	}
}

// run measures what the flags ask for and prints what it found.
func (b *bench) run(ctx context.Context) (err error) {
	if b.root, err = cli.ModuleRoot(); err != nil {
		return err
	}
	if b.tmp, err = os.MkdirTemp("", "raysteps-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	if err := b.choose(ctx); err != nil {
		return err
	}
	unlock, err := cli.LockMeasuring(ctx, b.env)
	if err != nil {
		return err
	}
	defer unlock()
	b.start = time.Now()
	if err := b.find(ctx); err != nil {
		return err
	}
	stopped := b.measure(ctx)
	lines := append(linesOf(b.Lines()), b.counted...)
	if len(lines) == 0 {
		return stopped
	}
	if b.set, err = results.Of(lines, "this run"); err != nil {
		return err
	}
	b.set.Partial = true // what was not measured is left out
	file := ""
	if b.against == "" || b.out != "" { // which is for no page
		if file, err = results.Record(ctx, b.root, b.out, lines); err != nil {
			return err
		}
	}
	if stopped != nil {
		fmt.Fprint(b.env.Stdout, "Stopped early: what is finished is kept.\n\n")
	}
	err = b.print()
	if file != "" {
		fmt.Fprintf(b.env.Stdout, "The measurements are in %s.\n", file)
	}
	if file != b.out {
		fmt.Fprint(b.env.Stdout, "To see them in the README and the pages: go run ./scripts/readme; to take them out again: go run ./scripts/readme -reset\n")
	}
	return cmp.Or(stopped, err)
}

// measure takes the time that the flags say, and counts where that was asked for.
func (b *bench) measure(ctx context.Context) error {
	if b.counts || b.against != "" && toolchain.CanCount() == nil {
		for _, v := range b.versions {
			if v.config[buildKey] == b.again() {
				continue
			}
			counted, err := toolchain.Count(ctx, b.env, v.root, steps.Packages(b.chosen()), scene.Names())
			if err != nil {
				return err
			}
			for _, line := range counted {
				measure.SetConfig(line, buildKey, v.config[buildKey])
			}
			b.counted = append(b.counted, counted...)
		}
	}
	if len(b.Units) == 0 {
		return nil
	}
	bar := b.env.Progress(int64(b.limit/time.Second), "measuring")
	defer bar.Finish()
	defer b.env.EachMinute(func() string {
		return fmt.Sprintf("bench: %v of %v, %d link orders", time.Since(b.start).Round(time.Second), b.limit, b.Done)
	})()
	b.Before = func(int) { bar.Set(int(time.Since(b.start) / time.Second)) }
	b.End = b.start.Add(b.limit)
	return b.Run(ctx)
}
