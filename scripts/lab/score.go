package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/launch"
)

// share is how much of our gain in speed, in logarithms, passes a lab that time
// decides: half of the gain twice is all of it.
const share = 0.8

// What a check measures: link orders in batches until it is decided, and cycles of
// each. A batch takes some six seconds.
const (
	batch    = 4
	orders   = 6 * batch
	cycles   = 30
	patience = 60 * time.Second // for the tests of a lab, and for each of its launches
)

// counts are what a ray executes, and how much it may for the lab to be passed.
type counts struct {
	*lab
	start, yours, ours *benchfmt.Result
}

// count counts the lab, and the start and ours unless those are known.
func (b *build) count(ctx context.Context, env *cli.Env, known *counts) (*counts, error) {
	packages := b.packages()
	if known != nil {
		packages = packages[:1]
	}
	all, err := count.Measure(ctx, env, b.linker.Root, packages, []string{b.Scene})
	if err != nil {
		return nil, err
	}
	if known != nil {
		all = append(all, known.start, known.ours)
	}
	return &counts{lab: b.lab, yours: all[0], start: all[1], ours: all[2]}, nil
}

// perRay returns what a ray executes of something, such as loads.
func perRay(line *benchfmt.Result, of string) float64 {
	n, _ := line.Value(of + "/ray") // which all have
	return n
}

// asked is the most that passes.
func (c *counts) asked(unit string) float64 { return perRay(c.ours, unit) * (1 + c.Within/100) }

// missing says what is too much, or nothing.
func (c *counts) missing() string {
	var all []string
	for _, unit := range c.Counts {
		if over := perRay(c.yours, unit) - c.asked(unit); over > 0 {
			all = append(all, formatCount(over)+" "+unit)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return english.WordSeries(all, "and") + " a ray too many"
}

func (c *counts) String() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "a ray of %s\tthe start\tyours\tours\tasked\t\n", c.Scene)
	for _, unit := range []string{"instructions", "loads", "branches"} {
		of := func(line *benchfmt.Result) string { return formatCount(perRay(line, unit)) }
		asked := ""
		if slices.Contains(c.Counts, unit) {
			asked = formatCount(c.asked(unit))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", unit, of(c.start), of(c.yours), of(c.ours), asked)
	}
	t.Flush()
	return strings.TrimRight(b.String(), "\n")
}

func formatCount(v float64) string {
	if v < 1000 {
		return humanize.FormatFloat("#,###.#", v)
	}
	return humanize.FormatFloat("#,###.", v)
}

// timing is how fast a lab is.
type timing struct {
	yours, ours estimate.Estimate // against the start
	rest        estimate.Estimate // yours against what was asked
}

func (t *timing) asked() float64 { return math.Pow(t.ours.Center, share) }

func (t *timing) String() string {
	return fmt.Sprintf("times the start's speed: yours %s, ours %s", estimate.FormatRatio(t.yours), estimate.FormatRatio(t.ours))
}

// missing says what keeps a lab from being passed, or nothing. An interval that
// still contains what was asked when all link orders were measured is as good as
// its center, if it excludes the start.
func (t *timing) missing() string {
	if t.rest.Lo > 1 || t.rest.Center >= 1 && t.yours.Lo > 1 {
		return ""
	}
	return fmt.Sprintf("%.1f %% more speed is asked: %.3g times the start's", 100*(math.Max(1/t.rest.Center, 1)-1), t.asked())
}

// time lets the three variants take turns in so many link orders at the most, until
// it is decided whether the lab is as fast as was asked.
func (b *build) time(ctx context.Context, env *cli.Env, orders int) (*timing, error) {
	release, err := cli.LockMeasuring(ctx, env)
	if err != nil {
		return nil, err
	}
	defer release()
	program, err := b.linker.Launcher(ctx, env, b.name, launch.Build{}, b.packages())
	if err != nil {
		return nil, err
	}
	group := launch.Group{Cycles: cycles, Reload: true, Load: b.pictures()}
	var samples [3][]estimate.Launch
	t := &timing{}
	for order := 0; order < orders; order++ {
		if order == len(program.Binaries) {
			if decided(t.rest) && decided(t.ours) && t.ours.Center > 1 {
				break
			}
			if err := program.Link(ctx, env, order+batch); err != nil {
				return nil, err
			}
		}
		limited, cancel := context.WithTimeout(ctx, patience)
		logs, err := b.logs(limited, program, order, &group)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("measuring it once, in %v at the most: %w", patience, err)
		}
		gain, most := logs[0]-logs[1], logs[2]-logs[1]
		for i, log := range []float64{gain, most, gain - share*most} {
			samples[i] = append(samples[i], estimate.Launch{Order: order, Log: log})
		}
		t.yours, t.ours, t.rest = estimate.Of(samples[0]), estimate.Of(samples[1]), estimate.Of(samples[2])
	}
	return t, nil
}

// decided reports whether a quantity differs from 1, with the confidence of one interval,
// where it is looked at after each batch: every look spends the same part of what may go
// wrong.
func decided(e estimate.Estimate) bool {
	return estimate.Rule{Among: orders / batch}.Of(estimate.Row{Ratio: e}).Differs()
}

// pictures are what the three variants render.
func (b *build) pictures() turns.Pictures {
	p := launch.Pictures("Lab", b.Scene, nil)
	grid := map[string]int{"small": 8, "medium": 4, "large": 2}[b.Scene] // a slice takes some milliseconds
	work := turns.Picture{Workers: 1, Grid: grid, Block: launch.Block, Times: 1}
	if b.Parallel {
		p.Width, p.Height = 320, 180
		work = turns.Picture{Workers: runtime.GOMAXPROCS(0), Times: 1}
	}
	for _, work.Package = range b.packages() {
		p.Tracers = append(p.Tracers, work)
	}
	return p
}

// logs launches a link order and returns the logarithms of the rates of the three.
func (b *build) logs(ctx context.Context, program *launch.Program, order int, group *launch.Group) (logs [3]float64, err error) {
	process, err := program.Start(ctx, order)
	if err != nil {
		return logs, err
	}
	_, all, err := group.Take([]launch.Server{process})
	if err != nil {
		return logs, err
	}
	for _, cycle := range all {
		var rays []float64
		for _, values := range cycle {
			rays = append(rays, math.Round(values["rays/s"]*values[turns.SliceTime]))
		}
		if rays[0] != rays[1] && rays[0] != rays[2] {
			return logs, fmt.Errorf("where it is measured it traces %.0f rays, the start %.0f and ours %.0f; want the picture of one of them at every size", rays[0], rays[1], rays[2])
		}
	}
	for i, level := range estimate.Levels(all) {
		logs[i] = math.Log(level["rays/s"])
	}
	return logs, process.Close()
}
