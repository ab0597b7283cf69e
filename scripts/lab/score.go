package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cachegrind"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/testbinary"
	"raysteps/scripts/internal/toolchain"
)

// share is how much of our gain in speed, in logarithms, passes a lab that time
// decides: half of the gain twice is all of it.
const share = 0.8

// What a check measures: link orders in batches, some six seconds each, until it is decided.
const (
	batch     = 4
	orders    = 6 * batch
	cycles    = 30
	patience  = 60 * time.Second // for the tests of a lab, and for each of its launches
	sliceTime = 4 * time.Millisecond
)

// counts are what a ray executes, and how much it may for the lab to be passed.
type counts struct {
	*lab
	start, yours, ours *benchfmt.Result
}

// count counts the lab, and the start and ours unless those are known.
func (b *build) count(ctx context.Context, env *cli.Env, known *counts) (*counts, error) {
	if err := cachegrind.Works(ctx); err != nil {
		return nil, err
	}
	packages := b.packages()
	if known != nil {
		packages = packages[:1]
	}
	all, err := toolchain.Count(ctx, env, b.root, b.bin, nil, packages, []string{b.Scene})
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

// target is how many of a unit a ray may execute.
func (c *counts) target(unit string) float64 { return perRay(c.ours, unit) * (1 + c.Within/100) }

// shortfall says what is too much, or nothing.
func (c *counts) shortfall() string {
	var all []string
	for _, unit := range c.Counts {
		if over := perRay(c.yours, unit) - c.target(unit); over > 0 {
			all = append(all, humanize.CommafWithDigits(over, 1)+" "+unit)
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
		of := func(line *benchfmt.Result) string { return humanize.CommafWithDigits(perRay(line, unit), 1) }
		asked := ""
		if slices.Contains(c.Counts, unit) {
			asked = humanize.CommafWithDigits(c.target(unit), 1)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", unit, of(c.start), of(c.yours), of(c.ours), asked)
	}
	t.Flush()
	return strings.TrimRight(b.String(), "\n")
}

// timing is how fast a lab is.
type timing struct {
	yours, ours estimate.Estimate // against the start
	rest        estimate.Estimate // yours against what was asked
}

// target is the speed, over that of the start, that passes.
func (t *timing) target() float64 { return math.Pow(t.ours.Center, share) }

func (t *timing) String() string {
	return fmt.Sprintf("times the start's speed: yours %s, ours %s", estimate.FormatRatio(t.yours), estimate.FormatRatio(t.ours))
}

// shortfall says what keeps a lab from being passed: it has to be what was asked, and faster.
func (t *timing) shortfall() string {
	if t.rest.Center >= 1 && faster(t.yours) {
		return ""
	}
	return fmt.Sprintf("%.1f %% more speed is asked: %.3g times the start's", 100*(math.Max(1/t.rest.Center, 1)-1), t.target())
}

// time lets the three variants take turns in so many link orders at the most, until
// it is decided whether the lab is as fast as was asked.
func (b *build) time(ctx context.Context, env *cli.Env, orders int) (*timing, error) {
	release, err := measure.Lock(ctx, env.Stderr)
	if err != nil {
		return nil, err
	}
	defer release()
	bar := env.Progress(int64(orders), "measuring")
	defer bar.Finish()
	cpu, rounds := 1, cycles
	if b.Parallel { // or is to be: the start may use one; slices of workers are long
		cpu, rounds = runtime.GOMAXPROCS(0), cycles/6
	}
	u, err := b.unit(ctx, cpu)
	if err != nil {
		return nil, err
	}
	m := &measure.Measurement{
		Units: []*measure.Unit{u}, End: time.Now().Add(time.Hour), TargetOrders: 1, MaxRounds: rounds,
	}
	t := &timing{}
	for m.OrderCount < orders && !(m.OrderCount%batch == 0 && decided(t.rest) && faster(t.ours)) {
		m.MaxOrders = m.OrderCount + 1
		bar.Set(m.OrderCount)
		limited, cancel := context.WithTimeout(ctx, 3*patience) // linking included
		err := m.Run(limited)
		cancel()
		if err == nil {
			err = t.read(m.Lines())
		}
		if err != nil {
			return nil, fmt.Errorf("measuring it once, in %v at the most: %w", 3*patience, err)
		}
	}
	return t, nil
}

// unit links the three variants and runs each once, with slices of equal length: what is done
// once for a slice is then the same share of all.
func (b *build) unit(ctx context.Context, cpu int) (*measure.Unit, error) {
	flags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -trimpath -pgo=off")
	environment := append(os.Environ(), "GOFLAGS="+flags)
	overlay := filepath.Join(b.bin, "overlay")
	packages, err := testbinary.Find(ctx, b.root, overlay, environment, b.packages()...)
	if err != nil {
		return nil, err
	}
	group, n := &measure.Group{}, math.MaxInt
	u := &measure.Unit{Groups: []*measure.Group{group}}
	for i, pkg := range b.packages() {
		of := slices.IndexFunc(packages, func(p *testbinary.Package) bool { return p.ImportPath == pkg })
		seed := func(order int) int { return 1 + order + i<<20 }
		side := packages[of].Side(filepath.Join(b.bin, fmt.Sprint(i, ".exe")), seed, nil)
		if err := side.Link(ctx, 0); err != nil {
			return nil, err
		}
		limited, cancel := context.WithTimeout(ctx, patience)
		pattern := "^BenchmarkRender$/^scene=" + b.Scene + "$"
		found, err := side.Benchmarks(limited, "BenchmarkRender", pattern, cpu, sliceTime)
		cancel()
		if err != nil || len(found) != 1 || found[0].Failure != "" {
			err = cmp.Or(err, errors.New("its benchmark fails"))
			return nil, fmt.Errorf("measuring %s once, in %v at the most: %w", pkg, patience, err)
		}
		u.Sides = append(u.Sides, side)
		group.Subjects = append(group.Subjects, &measure.Subject{Side: i, Name: found[0].Name, CPU: cpu})
		n = min(n, found[0].N)
	}
	for _, s := range group.Subjects {
		s.N = n
	}
	return u, nil
}

// read reads what link orders say of the three.
func (t *timing) read(lines []*benchfmt.Result) error {
	var samples [3][]estimate.Launch
	for i := 0; i+2 < len(lines); i += 3 {
		var logs, rays [3]float64
		for k, line := range lines[i : i+3] {
			rate, _ := line.Value("rays/s")
			logs[k] = math.Log(rate)
			rays[k], _ = line.Value("rays/op")
		}
		same := func(a, b float64) bool { return math.Abs(a/b-1) < 1e-6 }
		if !same(rays[0], rays[1]) && !same(rays[0], rays[2]) {
			return fmt.Errorf("where it is measured it traces %.0f rays, the start %.0f and ours %.0f; want the picture of one of them at every size", rays[0], rays[1], rays[2])
		}
		gain, most := logs[0]-logs[1], logs[2]-logs[1]
		for k, log := range []float64{gain, most, gain - share*most} {
			samples[k] = append(samples[k], estimate.Launch{Order: i, Log: log})
		}
	}
	t.yours, t.ours, t.rest = estimate.Mean(samples[0]), estimate.Mean(samples[1]), estimate.Mean(samples[2])
	return nil
}

// decided reports whether a quantity differs from 1. It is looked at after each batch: every
// look spends the same part of what may go wrong.
func decided(e estimate.Estimate) bool {
	return e.Significant(orders / batch)
}

func faster(e estimate.Estimate) bool { return decided(e) && e.Center > 1 }
