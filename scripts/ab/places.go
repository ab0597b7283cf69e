package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aclements/go-moremath/stats"
	"github.com/google/pprof/profile"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
)

// Flags for the linker: functions begin at multiples of 64 bytes; the names of functions stay,
// by which places and counts are told apart.
const (
	align   = "-ldflags=-funcalign=64"
	symbols = "-ldflags=-s=false"
)

// typeArguments are written in full in a table of symbols, and not in a profile.
var typeArguments = regexp.MustCompile(`\[.*\]`)

// notePlaces keeps where the functions of a program begin that was linked in another order.
func (c *comparison) notePlaces(ctx context.Context, p *pkg) error {
	text, err := cli.Output(ctx, c.dir, nil, "go", "tool", "nm", p.programs[others])
	odd := map[string]bool{}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 2 && strings.EqualFold(fields[1], "T") {
			address, _ := strconv.ParseUint(fields[0], 16, 64)
			odd[typeArguments.ReplaceAllString(strings.Join(fields[2:], " "), "[...]")] = address/32%2 == 1
		}
	}
	p.odd = append(p.odd, odd)
	return err
}

// iterations returns how many a benchmark has in so long, about.
func (r *row) iterations(long time.Duration) int { return r.n * int(1+long/r.took) }

// arguments returns those of a test binary that run one benchmark alone.
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
// with it, over the median of that, and the share from the tenth percentile to the ninetieth.
func (r *row) spread(side int) (times []float64, share float64) {
	one := r.values(before, "sec/op")
	for i, v := range r.values(side, "sec/op") {
		times = append(times, v/one[i])
	}
	all := stats.Sample{Xs: slices.Clone(times)}
	for i := range times {
		times[i] /= all.Quantile(0.5)
	}
	return times, all.Quantile(0.9)/all.Quantile(0.1) - 1
}

// place returns what it is worth, as a share, where the function of a row begins: nothing if no
// order has it.
func (r *row) place(times []float64) float64 {
	var launches []estimate.Launch
	for i, time := range times {
		places := estimate.Places([]bool{r.pkg.odd[i][r.function]})
		launches = append(launches, estimate.Launch{Order: i, Log: math.Log(time), Places: places})
	}
	return estimate.Of(launches).Place
}

// printPlaces prints what link orders do to one version.
func (c *comparison) printPlaces() error {
	var measured []*row
	far := 0.01 // from the median, a logarithm
	for _, r := range c.rows {
		if len(r.group.Lines) > 0 {
			measured = append(measured, r)
			times, _ := r.spread(others)
			far = max(far, math.Log(slices.Max(times)), -math.Log(slices.Min(times)))
		}
	}
	far = min(far, 0.3)
	percent := func(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
	low, high := fmt.Sprintf("%.0f %%", 100*math.Expm1(-far)), fmt.Sprintf("+%.0f %%", 100*math.Expm1(far))
	rows := [][]string{{"benchmark", "time", fmt.Sprintf("%s%*s", low, cells-len(low), high), "spread", "place", "aligned", "no change"}}
	var moved, still, ends, places []string
	for _, r := range measured {
		name := c.name(r)
		times, spread := r.spread(others)
		_, aligned := r.spread(after)
		_, noise := r.spread(again)
		place := r.place(times)
		rows = append(rows, []string{name, format(r.median(others, "sec/op"), "sec/op"), strip(times, far), percent(spread), percent(place), percent(aligned), percent(noise)})
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
	said := append(c.failures(), lists([]string{"The link order alone moves", "Whether a function begins at an odd multiple of 32 bytes explains of that", "Alignment (" + align + ") ends half of that, or more, of",
		"Not moved by more than 1 %, or twice what one program scatters by"}, moved, places, ends, still)...)
	return c.write(fmt.Sprintf("%s, in %d link orders\n\n", c.versions[before].label, c.m.Done), rows, said)
}

// cells is how wide a strip is.
const cells = 25

// strip draws how many times lie where, from far below the median to far above it.
func strip(times []float64, far float64) (text string) {
	var counts [cells]int
	for _, time := range times {
		counts[min(max(int(math.Round((math.Log(time)/far+1)/2*(cells-1))), 0), cells-1)]++
	}
	for _, n := range counts {
		text += string([]rune(".▁▂▃▄▅▆▇█")[(8*n+slices.Max(counts[:])-1)/slices.Max(counts[:])])
	}
	return text
}
