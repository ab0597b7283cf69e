package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aclements/go-moremath/stats"
	"github.com/dustin/go-humanize/english"
	"github.com/google/pprof/profile"
	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
)

// Flags for the linker: functions begin at multiples of 64 bytes; the names of functions stay,
// by which places and counts are told apart.
const (
	align   = "-ldflags=-funcalign=64"
	symbols = "-ldflags=-s=false"

	cells = 25 // of a strip
)

// typeArguments are written in full in a table of symbols, and not in a profile.
var typeArguments = regexp.MustCompile(`\[.*\]`)

// notePlaces keeps where the functions of a program begin that was linked in another order.
func (c *comparison) notePlaces(ctx context.Context, p *pkg, order int) error {
	text, err := cli.Output(ctx, c.dir, nil, "go", "tool", "nm", p.programs[others])
	odd := map[string]bool{}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 2 && strings.EqualFold(fields[1], "T") {
			address, _ := strconv.ParseUint(fields[0], 16, 64)
			odd[typeArguments.ReplaceAllString(strings.Join(fields[2:], " "), "[...]")] = address/32%2 == 1
		}
	}
	p.odd = append(p.odd[:order], odd)
	return err
}

func (r *row) iterations(long time.Duration) int { return r.n * int(1+long/r.took) }

func (c *comparison) arguments(r *row, iterations int) []string {
	name := r.name
	if c.cpu > 1 {
		name = strings.TrimSuffix(name, fmt.Sprint("-", c.cpu))
	}
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta("Benchmark"+name), "/", "$/^") + "$"
	return []string{"-test.run=^$", "-test.bench=" + pattern, fmt.Sprintf("-test.benchtime=%dx", iterations), fmt.Sprint("-test.cpu=", c.cpu)}
}

// profile finds in which function a benchmark spends most of its time, with what was inlined
// there. Without one nothing is said of its place.
func (c *comparison) profile(ctx context.Context, r *row) {
	file := filepath.Join(c.folder, "profile")
	args := append(c.arguments(r, r.iterations(200*time.Millisecond)), "-test.cpuprofile="+file)
	_, failed := cli.Output(ctx, r.pkg.versions[before].Dir, c.versions[before].env, r.pkg.programs[before], args...)
	text, _ := os.ReadFile(file)
	read, err := profile.ParseData(text)
	if failed != nil || err != nil {
		return
	}
	samples := map[string]int64{}
	for _, s := range read.Sample {
		if len(s.Location) > 0 && len(s.Location[0].Line) > 0 {
			name := s.Location[0].Line[len(s.Location[0].Line)-1].Function.Name
			if samples[name] += s.Value[0]; samples[name] > samples[r.function] {
				r.function = name
			}
		}
	}
}

// spread returns the times of a side by link order, over those of one program that took turns
// with it, and the share from the tenth percentile to the ninetieth.
func (r *row) spread(side int) (times []float64, share float64) {
	one := r.values(before, "sec/op")
	for i, v := range r.values(side, "sec/op") {
		times = append(times, v/one[i])
	}
	all := stats.Sample{Xs: slices.Clone(times)}
	return times, all.Quantile(0.9)/all.Quantile(0.1) - 1
}

func (c *comparison) printPlaces() error {
	measured := slices.DeleteFunc(slices.Clone(c.rows), func(r *row) bool { return len(r.group.Lines) == 0 })
	percent := func(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
	rows := [][]string{{"benchmark", "time", fmt.Sprintf("%-*s+6 %%", cells-4, "-6 %"), "spread", "place", "aligned", "no change"}}
	var moved, still, ends, places []string
	for _, r := range measured {
		name := c.name(r)
		times, spread := r.spread(others)
		_, aligned := r.spread(after)
		_, noise := r.spread(again)
		var launches []estimate.Launch // of which nothing is fitted if no order has the function
		for i, time := range times {
			odd := estimate.Places([]bool{r.pkg.odd[i][r.function]})
			launches = append(launches, estimate.Launch{Order: i, Log: math.Log(time), Places: odd})
		}
		place := estimate.Of(launches).Place
		rows = append(rows, []string{name, format(estimate.Median(r.values(others, "sec/op")), "sec/op"), strip(times), percent(spread), percent(place), percent(aligned), percent(noise)})
		if spread <= max(0.01, 2*noise) {
			still = append(still, name)
			continue
		}
		moved = append(moved, name+" "+percent(spread))
		if aligned < spread/2 {
			ends = append(ends, name)
		}
		if place > 0 {
			places = append(places, fmt.Sprintf("%s %s (%s)", name, percent(place), r.function))
		}
	}
	text := c.failures()
	text.of("The link order alone moves", moved)
	text.of("Whether a function begins at an odd multiple of 32 bytes explains of that", places)
	text.of("Alignment ("+align+") ends half of that, or more, of", ends)
	text.of("Not moved by more than 1 %, or twice what one program scatters by", still)
	return c.write(fmt.Sprintf("%s, in %s\n\n", c.versions[before].label, english.Plural(c.m.Done, "link order", "")), rows, text)
}

// strip draws how many times lie where, from 6 % below the median to 6 % above it; what is farther
// lies at the ends.
func strip(times []float64) (text string) {
	var counts [cells]int
	for _, time := range times {
		counts[min(max(int(math.Round((math.Log(time/estimate.Median(times))/0.06+1)/2*(cells-1))), 0), cells-1)]++
	}
	for _, n := range counts {
		text += string([]rune(".▁▂▃▄▅▆▇█")[(8*n+slices.Max(counts[:])-1)/slices.Max(counts[:])])
	}
	return text
}

var countUnits = []string{"instructions/op", "branches/op"}

// count counts what both versions of the benchmarks execute, if that is wanted, as long as there is time.
func (c *comparison) count(ctx context.Context, limit time.Duration) error {
	limited, cancel := context.WithTimeoutCause(ctx, limit, errors.New("half of the time was over; want a longer -time, or another -bench"))
	defer cancel()
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range c.rows {
		if c.counts && r.failure == "" {
			group.Go(func() error {
				for v := range r.counts {
					file := filepath.Join(c.folder, fmt.Sprintf("counts-%d-%d", i, v))
					if err := c.countRow(limited, r, v, file); err != nil {
						r.uncounted = cmp.Or(context.Cause(limited), err)
					}
				}
				return nil
			})
		}
	}
	group.Wait() // for what each row has kept
	return ctx.Err()
}

// countRow counts iterations of a benchmark, twice as many, and the first again: the
// difference has nothing of what is done once, which may be another each time.
func (c *comparison) countRow(ctx context.Context, r *row, v int, file string) error {
	iterations := 1 + r.iterations(10*time.Millisecond)
	env := append(slices.Clip(c.versions[v].env), "GOMEMLIMIT=1GiB")
	var counts [3][]float64
	for i, n := range []int{iterations, 2 * iterations, iterations} {
		args := append([]string{"--cache-sim=no", r.pkg.programs[v], "-test.memprofilerate=1000000000"}, c.arguments(r, n)...)
		_, sums, err := measure.Cachegrind(ctx, r.pkg.versions[v].Dir, env, file, scheduler, args...)
		if err != nil {
			return err
		}
		counts[i] = []float64{sums["Ir"], sums["Bc"] + sums["Bi"]}
	}
	for i := range countUnits {
		once, again, n := counts[0][i], counts[2][i], float64(iterations)
		r.counts[v] = append(r.counts[v], count{(counts[1][i] - (once+again)/2) / n, math.Abs(once-again) / n})
	}
	return nil
}

// count is how many of a unit an iteration has, and by how much that varies.
type count struct{ perOp, scatter float64 }

// differs reports whether another count is another by more than half a percent, and chance.
func (a count) differs(b count) bool {
	return math.Abs(a.perOp-b.perOp) > max(0.005*max(a.perOp, b.perOp), 3*(a.scatter+b.scatter))
}

// scheduler matches the functions of the runtime that work by the clock, or look for memory
// where it happens to be.
var scheduler = regexp.MustCompile(`^fn=runtime\.(sysmon|retake|u?n?lock2|pcvalue|step|findfunc|tracebackPCs|mergeSummaries|\(\*(unwinder|pageAlloc|mheap)\))`)
