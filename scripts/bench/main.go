package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cachegrind"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
)

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{Name: "bench", Synopsis: "[flags]", Manual: manual, Setup: setup}

// bench is a run of the command, once the flags are read: a plan is made, packages are loaded, their
// benchmarks are found and measured, and what was found is printed and recorded.
type bench struct {
	options
	plan
	env       *cli.Env
	root, tmp string // folders: of the module, and for what is built
	start     time.Time
	clocks    []float64 // in GHz, one in each link order
	measure.Measurement

	counted   []*benchfmt.Result
	uncounted error        // of -against: why nothing was counted
	changed   error        // and which scenes have another picture
	set       *results.Set // of all lines, once it is over
}

// run measures what the flags ask for and prints what it found.
func (b *bench) run(ctx context.Context) (err error) {
	if b.tmp, err = os.MkdirTemp("", "raysteps-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	b.plan = b.newPlan(b.root, b.tmp)
	if err := b.load(ctx); err != nil {
		return err
	}
	unlock, err := measure.Lock(ctx, b.env.Stderr)
	if err != nil {
		return err
	}
	defer unlock()
	b.start = time.Now()
	stopped := b.measure(ctx)
	lines := append(publishedLines(b.Lines()), b.counted...)
	if len(lines) == 0 {
		const format = "nothing was measured; want benchmarks that are not skipped here, with slices of at most %v"
		return cmp.Or(stopped, fmt.Errorf(format, longest))
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
	return cmp.Or(b.record(ctx, lines), err)
}

// record writes the lines to the file of the machine, and says where they are.
func (b *bench) record(ctx context.Context, lines []*benchfmt.Result) error {
	for _, line := range lines {
		if b.clocks != nil {
			results.SetConfig(line, "cpu-clock", fmt.Sprintf("%.2f GHz", estimate.Median(b.clocks)))
		}
	}
	file, err := results.Record(ctx, b.root, b.out, lines)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.env.Stdout, "The measurements are in %s.\nThey replace earlier ones of the same, if there are any.\n", file)
	if b.out == "" {
		fmt.Fprint(b.env.Stdout, "To see them in the README and the pages: go run ./scripts/readme; to take them out again: go run ./scripts/readme -reset\n")
	}
	return nil
}

// measure takes the time that is planned, or counts. Of -against it does both: counts have the time
// that is left, a quarter at least, and no figure waits for one.
func (b *bench) measure(ctx context.Context) error {
	if b.counts {
		return b.count(ctx)
	}
	bar := b.env.Progress(int64(b.duration/time.Second), "measuring")
	defer bar.Finish()
	if err := b.find(ctx); err != nil {
		return err
	}
	b.BeforeLaunch = func(int) {
		bar.Set(int(time.Since(b.start) / time.Second))
		b.clocks = append(b.clocks, results.Clock()) // which changes from second to second
	}
	b.TargetOrders, b.MaxRounds, b.MaxOrders = b.wanted, b.rounds, b.orders
	end := b.start.Add(b.duration)
	if b.End = end; b.against != "" {
		b.End = b.start.Add(b.duration * 3 / 4)
	}
	if err := b.Run(ctx); err != nil || b.against == "" {
		return err
	}
	bar.Finish()
	b.uncounted = b.countUntil(ctx, end)
	return ctx.Err()
}

// countUntil counts, and says why it does not.
func (b *bench) countUntil(ctx context.Context, end time.Time) error {
	limited, cancel := context.WithDeadlineCause(ctx, end, errors.New("the time was over; want a longer -time"))
	defer cancel()
	err := cachegrind.Works(limited)
	if err == nil {
		err = b.count(limited)
	}
	if err != nil {
		err = cmp.Or(context.Cause(limited), err)
	}
	return err
}

// count counts the versions, all or none.
func (b *bench) count(ctx context.Context) error {
	var all []*benchfmt.Result
	for _, v := range b.versions {
		if v.kind == oldRelinked {
			continue
		}
		counted, err := v.count(ctx, b)
		if err != nil {
			return err
		}
		all = append(all, counted...)
	}
	b.counted = all
	return nil
}
