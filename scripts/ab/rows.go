package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
)

// row is a benchmark.
type row struct {
	pkg       *pkg
	name      string         // without Benchmark
	failure   string         // why it is not measured, or empty
	group     *measure.Group // of subjects, one a side
	n         int            // iterations of a slice
	took      time.Duration  // a slice, with what it does before it measures
	counts    [2][]count     // of the versions, by unit
	uncounted error          // why there are none
	function  string         // in which most of the time is spent, of -places
}

// A slice is long enough for the caches to fill, and for what benchmarks do before they measure
// to be a small part, and short enough for many turns.
const sliceTime = 12 * time.Millisecond

// A narrow interval is believed of so many link orders, and so many are wanted, of -places a fourth.
const enoughOrders, wantedOrders = 20, 80

// measure finds the rows and measures until the deadline of the context, or all intervals
// are narrow enough.
func (c *comparison) measure(ctx context.Context) error {
	end, _ := ctx.Deadline()
	for i, p := range c.packages {
		if err := c.findRows(ctx, p, time.Until(end)/time.Duration(len(c.packages)-i)/2); err != nil {
			return err
		}
		c.m.Units = append(c.m.Units, p.unit)
	}
	for _, r := range c.rows {
		if c.places && r.failure == "" {
			c.profile(ctx, r)
		}
	}
	if c.counts {
		if err := c.count(ctx, time.Until(end)/2); err != nil {
			return err
		}
	}
	c.m.End = end
	start := time.Now()
	c.m.Before = func(order int) {
		c.bar.Set(int(time.Since(c.started) / time.Second))
		text := ""
		switch {
		case order == 1:
			text = fmt.Sprintf("%s in %s; some %s fit in %v", english.Plural(len(c.rows), "benchmark", ""), english.Plural(len(c.packages), "package", ""),
				english.Plural(1+int(time.Until(end)/time.Since(start)), "link order", ""), c.limit)
		case order == estimate.Least && !c.places:
			text = c.needs()
		}
		if text != "" {
			c.bar.Clear()
			fmt.Fprintln(c.env.Stderr, cli.Wrap("ab: "+text))
		}
	}
	return c.m.Run(ctx)
}

// findRows finds the rows of a package: what both versions have, and what is to be said of the
// rest. A function may take a quarter of the time that the package has for it.
func (c *comparison) findRows(ctx context.Context, p *pkg, limit time.Duration) error {
	functions := slices.Concat(p.versions[before].Functions, p.versions[after].Functions)
	for i, function := range functions {
		if slices.ContainsFunc(functions[:i], func(f measure.Function) bool { return f.Name == function.Name }) {
			continue // the old version has it, too
		}
		var found [2][]*measure.Slice
		for version := range found {
			limited, cancel := context.WithTimeoutCause(ctx, max(limit/2, 2*time.Second), errors.New("takes longer than a quarter of the time that is left"))
			all, err := p.unit.Sides[version].Benchmarks(limited, function.Name, c.bench, c.cpu, sliceTime)
			err = cmp.Or(context.Cause(limited), err)
			cancel()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			found[version] = all
			if err != nil { // and so nothing is known of its sub-benchmarks
				all = []*measure.Slice{{Name: strings.TrimPrefix(function.Name, "Benchmark"), Failure: err.Error()}}
				found = [2][]*measure.Slice{all, all}
				break
			}
		}
		for version, all := range found {
			for _, b := range all {
				other := slices.IndexFunc(found[1-version], func(o *measure.Slice) bool { return o.Name == b.Name })
				if other < 0 {
					b.Failure = cmp.Or(b.Failure, "only one version has it")
					c.addRow(p, b, b, limit/12)
				} else if version == before {
					c.addRow(p, b, found[after][other], limit/12)
				}
			}
		}
	}
	return nil
}

// addRow adds a row of a benchmark in both versions.
func (c *comparison) addRow(p *pkg, old, now *measure.Slice, longest time.Duration) {
	took := max(old.Took, now.Took)
	r := &row{pkg: p, name: old.Name, n: min(old.N, now.N), took: max(1, took), group: &measure.Group{}}
	if r.failure = cmp.Or(old.Failure, now.Failure); r.failure == "" && took > longest {
		r.failure = fmt.Sprintf("takes %v at a time; want a -time that is longer, or another -bench", took.Round(10*time.Millisecond))
	}
	c.rows = append(c.rows, r)
	if r.failure != "" {
		return
	}
	few := 0
	if took > 2*sliceTime { // one iteration, so time is better spent on another link order
		few = 3
	}
	for side := range p.unit.Sides {
		r.group.Subjects = append(r.group.Subjects, &measure.Subject{Side: side, Name: r.name, N: r.n, CPU: c.cpu, Few: few})
	}
	r.group.Done = func() bool {
		ratio, _ := r.ratio("sec/op")
		return !c.places && c.enough(ratio)
	}
	p.unit.Groups = append(p.unit.Groups, r.group)
}

// looks is about how often it is asked whether a row has enough: chance has as many opportunities.
const looks = 20

// enough reports whether a ratio needs no more link orders: its interval is narrow, and leaves no
// doubt, or it is decided, by an interval of thrice that at the most, on which side of 1 it is, and
// of the limit. The others have its time then.
func (c *comparison) enough(ratio estimate.Estimate) bool {
	half, certain := ratio.HalfWidth(), ratio.Certain(1, looks*len(c.rows))
	return ratio.Orders >= enoughOrders && (half <= c.within/100 && (certain || !ratio.Excludes(1)) ||
		half <= 3*c.within/100 && certain && ratio.Excludes(1+c.over/100))
}

// needs says how long it takes until nine of ten rows have intervals that are narrow enough,
// if their link orders go on to scatter as they did; nothing if there is enough time.
func (c *comparison) needs() string {
	var times []float64 // as long as it took until now
	for _, r := range c.rows {
		if ratio, _ := r.ratio("sec/op"); ratio.Orders >= estimate.Least {
			// Of a few link orders the interval is wider by Student's factor, too.
			n := float64(ratio.Orders)
			wider := ratio.HalfWidth() / (c.within / 100) / (1 + 1.5/(n-1))
			times = append(times, max(enoughOrders/n, wider*wider))
		}
	}
	if len(times) == 0 {
		return ""
	}
	slices.Sort(times)
	need := time.Duration(times[len(times)*9/10] * float64(time.Since(c.started))).Round(10 * time.Second)
	switch {
	case need <= c.limit:
		return ""
	case need > 2*time.Hour:
		return fmt.Sprintf("±%.3g %% in nine of ten rows want hours of -time", c.within)
	}
	return fmt.Sprintf("±%.3g %% in nine of ten rows want about -time %v", c.within, need)
}

// launches returns the logarithms of what a side says in a unit, by link order.
func (r *row) launches(side int, unit string) (all []estimate.Launch) {
	for order, v := range r.values(side, unit) {
		all = append(all, estimate.Launch{Order: order, Log: math.Log(v)})
	}
	return all
}

// values returns what a side says in a unit, by link order.
func (r *row) values(side int, unit string) (all []float64) {
	for _, line := range r.group.Lines {
		if v, ok := line.Value(unit); ok && line.GetConfig("side") == sides[side] {
			all = append(all, v)
		}
	}
	return all
}

// median returns the median over link orders of a side.
func (r *row) median(side int, unit string) float64 { return estimate.Median(r.values(side, unit)) }

// ratio returns the new version over the old, and the old over itself: every other link order over
// the one before.
func (r *row) ratio(unit string) (ratio, noise estimate.Estimate) {
	old := r.launches(before, unit)
	var halves [2][]estimate.Launch
	for _, l := range old {
		halves[l.Order%2] = append(halves[l.Order%2], estimate.Launch{Order: l.Order / 2, Log: l.Log})
	}
	return estimate.Between(r.launches(after, unit), old), estimate.Between(halves[1], halves[0])
}

// allocations returns what a side allocates, and whether the new one differs: in the same
// direction in all link orders but a quarter. What scatters does not differ.
func (r *row) allocations(unit string) (old, now float64, differ bool) {
	olds, news := r.values(before, unit), r.values(after, unit)
	old, now = estimate.Median(olds), estimate.Median(news)
	same := 0
	for i := range min(len(olds), len(news)) {
		if now > old && news[i] > olds[i] || now < old && news[i] < olds[i] {
			same++
		}
	}
	return old, now, len(olds) > 0 && old != now && 4*same >= 3*len(olds)
}

// file returns what was measured in the Go benchmark format.
func (c *comparison) file() []byte {
	var text bytes.Buffer
	w := benchfmt.NewWriter(&text)
	for _, line := range c.m.Lines() {
		measure.SetConfig(line, "link-order", "")
		measure.SetConfig(line, "old", c.versions[before].label)
		measure.SetConfig(line, "new", c.versions[after].label)
		w.Write(line) // to memory
	}
	return text.Bytes()
}
