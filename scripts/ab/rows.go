package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
)

// row is a benchmark of a package on so many processors.
type row struct {
	pkg       *pkg
	name      string // without Benchmark
	cpu       int
	lacks     [2]string      // why a version does not run it, or empty
	skipped   bool           // and that is its own wish
	late      string         // why there is no time for it, or empty
	group     *measure.Group // of subjects, one a side
	n         int            // iterations of a slice
	took      time.Duration  // a slice, with what it does before it measures
	counts    [2][]count     // of the versions, by unit
	recounted bool           // and whether they differ
	vague     bool           // and whether one of them may
	uncounted error          // why there are none
	function  string         // in which most of the time is spent, of -places
}

// A slice is long enough for the caches to fill, and for what benchmarks do before they measure
// to be a small part, and short enough for many turns: one twice as long scatters no less.
const sliceTime = 6 * time.Millisecond

// missing is what is said of a version that has no such benchmark.
const missing = "has no such benchmark"

// name is what the report calls a row.
func (c *comparison) name(r *row) string {
	if len(c.packages)+len(c.equal)+len(c.broken) > 1 {
		return path.Base(r.pkg.path) + " " + r.name
	}
	return r.name
}

// measure finds the rows and measures until the deadline, or until all intervals are narrow enough.
func (c *comparison) measure(ctx context.Context) error {
	c.m.End, _ = ctx.Deadline()
	c.doing = "benchmarks were looked for"
	for i, p := range c.packages {
		for _, cpu := range c.processors {
			limit := time.Until(c.m.End) / time.Duration(2*len(c.processors)*(len(c.packages)-i))
			if err := c.findRows(ctx, p, cpu, limit); err != nil {
				return err
			}
		}
		p.reached = true
		c.m.Units = append(c.m.Units, p.unit)
	}
	if err := c.count(ctx, time.Until(c.m.End)/2); err != nil {
		return err
	}
	times, start := c.takeSample(), time.Now()
	c.m.BeforeLaunch = func(order int) {
		c.bar.Set(int(time.Since(c.started) / time.Second))
		text := ""
		if order == 0 {
			c.linked = time.Now()
			text = c.forecast(time.Duration(times * float64(time.Since(start))))
		} else if order == 2*estimate.MinOrders { // of fewer the widest rows look far too wide
			text = c.needs()
		}
		if text != "" && !c.places {
			c.say(text)
		}
	}
	return c.m.Run(ctx)
}

// takeSample chooses the sample, and returns how many times as long as for that it takes to link all
// programs of an order, on all cores.
func (c *comparison) takeSample() (times float64) {
	programs := 0
	for _, p := range c.packages {
		if len(p.unit.Groups) > 0 {
			c.sample = p.unit.Sides[before]
			programs += len(p.unit.Sides)
		}
	}
	return float64(programs) / float64(max(1, min(programs, runtime.GOMAXPROCS(0))))
}

// findRows finds the rows of a package, in both versions at once where processors are free, and what
// is to be said of the rest. A function may take a quarter of the time that the package has for it.
func (c *comparison) findRows(ctx context.Context, p *pkg, cpu int, limit time.Duration) error {
	var found [2][]*measure.Slice
	var versions errgroup.Group
	versions.SetLimit(max(1, runtime.GOMAXPROCS(0)/cpu))
	for version, side := range p.unit.Sides[:again] {
		versions.Go(func() error {
			for _, function := range p.versions[version].Functions {
				if c.selects(function) {
					found[version] = append(found[version], c.findIn(ctx, side, function, cpu, limit/2)...)
				}
			}
			return nil
		})
	}
	if versions.Wait(); ctx.Err() != nil {
		return ctx.Err()
	}
	for version, all := range found {
		for _, b := range all {
			other := slices.IndexFunc(found[1-version], func(o *measure.Slice) bool {
				return o.Name == b.Name || o.Failure != "" && strings.HasPrefix(b.Name, o.Name+"/") // which fails for that
			})
			inner := func(o *measure.Slice) bool { return strings.HasPrefix(o.Name, b.Name+"/") }
			if version == after && b.Failure != "" && slices.ContainsFunc(found[before], inner) {
				continue // as it is said of these
			}
			both := [2]*measure.Slice{{Name: b.Name, Failure: missing}, {Name: b.Name, Failure: missing}}
			if both[version] = b; other >= 0 {
				both[1-version] = found[1-version][other]
			}
			if other < 0 || version == before {
				c.addRow(ctx, p, cpu, both, limit/12)
			}
		}
	}
	return nil
}

// selects reports whether -bench may select benchmarks of a function: one whose sub-benchmarks it
// selects by a slash is asked.
func (c *comparison) selects(function string) bool {
	matched, err := regexp.MatchString(c.bench, function)
	return matched || err != nil || strings.Contains(c.bench, "/")
}

// tooLong is what is said of a function that is given up.
const tooLong = "takes longer than a quarter of the time that is left"

// findIn finds the benchmarks of a function.
func (c *comparison) findIn(
	ctx context.Context, side *measure.Side, function string, cpu int, limit time.Duration,
) []*measure.Slice {
	limited, cancel := context.WithTimeoutCause(ctx, max(limit, 2*time.Second), errors.New(tooLong))
	defer cancel()
	all, err := side.Benchmarks(limited, function, c.bench, cpu, sliceTime)
	if err = cmp.Or(context.Cause(limited), err); err != nil { // nothing is known of its sub-benchmarks
		return []*measure.Slice{{Name: strings.TrimPrefix(function, "Benchmark"), Failure: err.Error()}}
	}
	return all
}

// addRow adds a row, which takes part if both versions run it and its slices are no longer than that.
func (c *comparison) addRow(
	ctx context.Context, p *pkg, cpu int, both [2]*measure.Slice, longest time.Duration,
) {
	old, now := both[before], both[after]
	took := max(old.Took, now.Took)
	r := &row{pkg: p, name: old.Name, cpu: cpu, group: &measure.Group{}}
	r.n, r.took = min(old.N, now.N), max(1, took)
	for version, b := range both {
		r.lacks[version] = strings.TrimPrefix(b.Failure, r.name+": ")
		r.skipped = r.skipped || b.Skipped
	}
	runs := r.lacks == [2]string{}
	if runs && took > longest {
		r.late = fmt.Sprintf("takes %v at a time; want a -time that is longer, or another -bench", took.Round(10*time.Millisecond))
	}
	c.rows = append(c.rows, r)
	if !runs || r.late != "" {
		return
	}
	if c.places {
		c.profile(ctx, r)
	}
	few := map[bool]int{true: 3}[took > 2*sliceTime] // as another link order tells more
	for side := range p.unit.Sides {
		s := &measure.Subject{Side: side, Name: r.name, N: r.n, CPU: cpu, MaxSlices: few}
		r.group.Subjects = append(r.group.Subjects, s)
	}
	r.group.Settled = func() bool { return !c.places && c.enough(r.ratio("sec/op")) }
	if c.canary > 0 {
		c.plant(ctx, r)
	}
	p.unit.Groups = append(p.unit.Groups, r.group)
}

func (r *row) values(side int, unit string) (byOrder []float64) {
	for _, line := range r.group.Lines {
		if v, ok := line.Value(unit); ok && line.GetConfig("side") == sides[side] {
			byOrder = append(byOrder, v)
		}
	}
	return byOrder
}

func (r *row) ratio(unit string) estimate.Estimate {
	return estimate.MedianRatio(r.values(after, unit), r.values(before, unit))
}

// hasRatio reports whether something can be said of a row, such as its time: that of an empty
// benchmark may be 0.
func (r *row) hasRatio() bool {
	return slices.ContainsFunc(r.group.Lines[0].Values, func(v benchfmt.Value) bool {
		return v.Unit != "B/op" && v.Unit != "allocs/op" && v.Unit != "B/s" && r.ratio(v.Unit).Orders > 0
	})
}

// noise returns the old version over itself: every other link order over the one before.
func (r *row) noise(unit string) estimate.Estimate {
	var halves [2][]float64
	for order, v := range r.values(before, unit) {
		halves[order%2] = append(halves[order%2], v)
	}
	return estimate.MedianRatio(halves[1], halves[0])
}

// medians returns those of both versions, and whether what does not hang on time, as allocations,
// differs: in the same direction in all link orders but a quarter. What scatters does not.
func (r *row) medians(unit string) (old, now float64, differ bool) {
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

func (c *comparison) file() []byte {
	var text bytes.Buffer
	w := benchfmt.NewWriter(&text)
	for _, line := range c.m.Lines() {
		line.SetConfig("link-order", "")
		w.Write(line) // to memory
	}
	return text.Bytes()
}
