package main

import (
	"context"
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

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/tool"
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

// alignment is that of functions, which the linker chooses by the architecture; processors fetch
// instructions in blocks.
var alignment = map[bool]uint64{false: 16, true: 32}[runtime.GOARCH == "amd64"]

const block = 64

// notePlaces keeps where the functions of a program begin that was linked in another order.
func (c *comparison) notePlaces(ctx context.Context, p *pkg, order int) error {
	text, err := tool.Output(ctx, c.dir, nil, c.nm, p.programs[others])
	places := map[string]uint64{}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 2 && strings.EqualFold(fields[1], "T") {
			address, _ := strconv.ParseUint(fields[0], 16, 64)
			places[typeArguments.ReplaceAllString(strings.Join(fields[2:], " "), "[...]")] = address % block
		}
	}
	p.places = append(p.places[:order], places)
	return err
}

// bits are those of an address in a block that functions of an alignment differ by.
func bits(address, alignment uint64) (odd []bool) {
	for ; alignment < block; alignment *= 2 {
		odd = append(odd, address&alignment != 0)
	}
	return odd
}

func (r *row) iterations(long time.Duration) int { return r.n * int(1+long/r.took) }

func (c *comparison) arguments(r *row, iterations int) []string {
	name := r.name
	if r.cpu > 1 {
		name = strings.TrimSuffix(name, fmt.Sprint("-", r.cpu))
	}
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta("Benchmark"+name), "/", "$/^") + "$"
	return []string{"-test.run=^$", "-test.bench=" + pattern, fmt.Sprintf("-test.benchtime=%dx", iterations), fmt.Sprint("-test.cpu=", r.cpu)}
}

// profile finds in which function a benchmark spends most of its time, with what was inlined
// there. Without one nothing is said of its place.
func (c *comparison) profile(ctx context.Context, r *row) {
	file := filepath.Join(c.folder, "profile")
	args := append(c.arguments(r, r.iterations(200*time.Millisecond)), "-test.cpuprofile="+file)
	dir, env := r.pkg.versions[before].Dir, c.versions[before].env
	_, failed := tool.Output(ctx, dir, env, r.pkg.programs[before], args...)
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
			at := estimate.PlaceEffects(bits(r.pkg.places[i][r.function], alignment))
			launches = append(launches, estimate.Launch{Order: i, Log: math.Log(time), Places: at})
		}
		place := estimate.Mean(launches).Place
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
	text := c.missed()
	text.add("The link order alone moves", moved)
	text.add("Where a function begins in a block of 64 bytes explains of that", places)
	text.add("Alignment ("+align+") ends half of that, or more, of", ends)
	text.add("Not moved by more than 1 %, or twice what one program scatters by", still)
	return c.write(fmt.Sprintf("%s, in %s\n\n", c.versions[before].label, english.Plural(c.m.OrderCount, "link order", "")), rows, text)
}

// strip draws how many times lie where, from 6 % below the median to 6 % above it; what is farther
// lies at the ends.
func strip(times []float64) (text string) {
	var counts [cells]int
	for _, time := range times {
		at := (math.Log(time/estimate.Median(times))/0.06 + 1) / 2 * (cells - 1)
		counts[min(max(int(math.Round(at)), 0), cells-1)]++
	}
	for _, n := range counts {
		text += string([]rune(".▁▂▃▄▅▆▇█")[(8*n+slices.Max(counts[:])-1)/slices.Max(counts[:])])
	}
	return text
}
