package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
)

type row struct {
	pkg       *pkg
	name      string         // without Benchmark
	failure   string         // why it is not measured, or empty
	group     *measure.Group // of subjects, one a side
	n         int            // iterations of a slice
	took      time.Duration  // a slice, with what it does before it measures
	counts    [2][]count     // of the versions, by unit
	recounted bool           // and whether they differ
	uncounted error          // why there are none
	function  string         // in which most of the time is spent, of -places
}

// A slice is long enough for the caches to fill, and for what benchmarks do before they measure
// to be a small part, and short enough for many turns: one twice as long scatters no less.
const sliceTime = 6 * time.Millisecond

// A narrow interval is believed of so many link orders, and so many are wanted, of -places a fourth.
const enoughOrders, wantedOrders = 20, 64

// measure finds the rows and measures until the deadline, or until all intervals are narrow enough.
func (c *comparison) measure(ctx context.Context) error {
	c.m.End, _ = ctx.Deadline()
	for i, p := range c.packages {
		if err := c.findRows(ctx, p, time.Until(c.m.End)/time.Duration(len(c.packages)-i)/2); err != nil {
			return err
		}
		c.m.Units = append(c.m.Units, p.unit)
	}
	if err := c.count(ctx, time.Until(c.m.End)/2); err != nil {
		return err
	}
	start := time.Now()
	c.m.Before = func(order int) {
		c.bar.Set(int(time.Since(c.started) / time.Second))
		text := ""
		if order == 0 {
			hundred := time.Since(c.started) + 100*time.Since(start) // for linking
			for _, r := range c.rows {
				hundred += 100 * r.took * time.Duration(len(r.group.Subjects)) * 9 / 8 // slices, with short ones before them
			}
			text = fmt.Sprintf("%s in %s; ±1 %% often takes a hundred link orders, about -time %v",
				english.Plural(len(c.rows), "benchmark", ""), english.Plural(len(c.packages), "package", ""), hundred.Round(10*time.Second))
		} else if order == 2*estimate.Least { // of fewer the widest rows look far too wide
			text = c.needs()
		}
		if text != "" && !c.places {
			c.bar.Clear()
			fmt.Fprintln(c.env.Stderr, cli.Wrap("ab: "+text))
		}
	}
	return c.m.Run(ctx)
}

// findRows finds the rows of a package, in both versions at once where processors are free, and what
// is to be said of the rest. A function may take a quarter of the time that the package has for it.
func (c *comparison) findRows(ctx context.Context, p *pkg, limit time.Duration) error {
	var found [2][]*measure.Slice
	var versions errgroup.Group
	versions.SetLimit(max(1, runtime.GOMAXPROCS(0)/c.cpu))
	for version, side := range p.unit.Sides[:again] {
		versions.Go(func() error {
			for _, function := range p.versions[version].Functions {
				limited, cancel := context.WithTimeoutCause(ctx, max(limit/2, 2*time.Second), errors.New("takes longer than a quarter of the time that is left"))
				all, err := side.Benchmarks(limited, function, c.bench, c.cpu, sliceTime)
				err = cmp.Or(context.Cause(limited), err)
				cancel()
				if err != nil { // and so nothing is known of its sub-benchmarks
					all = []*measure.Slice{{Name: strings.TrimPrefix(function, "Benchmark"), Failure: err.Error()}}
				}
				found[version] = append(found[version], all...)
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
			if other < 0 {
				b.Failure = cmp.Or(b.Failure, "only one version has it")
				c.addRow(ctx, p, b, b, limit/12)
			} else if version == before {
				c.addRow(ctx, p, b, found[after][other], limit/12)
			}
		}
	}
	return nil
}

func (c *comparison) addRow(ctx context.Context, p *pkg, old, now *measure.Slice, longest time.Duration) {
	took := max(old.Took, now.Took)
	r := &row{pkg: p, name: old.Name, n: min(old.N, now.N), took: max(1, took), group: &measure.Group{}}
	if r.failure = cmp.Or(old.Failure, now.Failure); r.failure == "" && took > longest {
		r.failure = fmt.Sprintf("takes %v at a time; want a -time that is longer, or another -bench", took.Round(10*time.Millisecond))
	}
	c.rows = append(c.rows, r)
	if r.failure != "" {
		return
	}
	if c.places {
		c.profile(ctx, r)
	}
	few := map[bool]int{true: 3}[took > 2*sliceTime] // of one iteration: time is better spent on another link order
	for side := range p.unit.Sides {
		r.group.Subjects = append(r.group.Subjects, &measure.Subject{Side: side, Name: r.name, N: r.n, CPU: c.cpu, Few: few})
	}
	r.group.Done = func() bool { return !c.places && c.enough(r.ratio("sec/op")) }
	p.unit.Groups = append(p.unit.Groups, r.group)
}

// enough reports whether a ratio needs no more link orders: its interval lies beside 1, or is as
// narrow as is wanted and leaves no doubt on which side of 1 it is. The others have its time then.
func (c *comparison) enough(ratio estimate.Estimate) bool {
	half, decided := c.wanted(ratio)
	return ratio.Orders >= enoughOrders && (ratio.Far() <= c.within/100 || decided && ratio.HalfWidth() <= half)
}

// wanted returns how narrow an interval is to be, and whether it is decided on which side of 1 it is.
// If that is known of the limit, too, thrice as wide does, or a twentieth of the difference. That is
// asked up to twenty times, and chance has as many opportunities.
func (c *comparison) wanted(ratio estimate.Estimate) (half float64, decided bool) {
	half, decided = c.within/100, ratio.Certain(20*len(c.rows))
	if decided && ratio.Excludes(1+c.over/100) {
		half = max(3*half, math.Abs(math.Log(ratio.Center))/20)
	}
	return half, decided
}

// needs says how long it takes until nine of ten rows have intervals that are narrow enough,
// if their link orders go on to scatter as they did; nothing if there is enough time.
func (c *comparison) needs() string {
	times := []float64{0} // as long as it took until now
	for _, r := range c.rows {
		if ratio := r.ratio("sec/op"); ratio.Orders >= estimate.Least {
			half, _ := c.wanted(ratio)
			// Of a few link orders the interval is wider by Student's factor, too.
			wider := ratio.HalfWidth() / half / (1 + 1.5/float64(ratio.Orders-1))
			times = append(times, wider*wider)
		}
	}
	slices.Sort(times)
	need := time.Duration(times[len(times)*9/10] * float64(time.Since(c.started))).Round(10 * time.Second)
	if need <= c.limit {
		return ""
	}
	long := map[bool]string{false: fmt.Sprint("about -time ", need), true: "hours of -time"}[need > 2*time.Hour]
	return fmt.Sprintf("±%.3g %%, or a clear difference, in nine of ten rows takes %s", c.within, long)
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
	return estimate.Between(r.values(after, unit), r.values(before, unit))
}

// noise returns the old version over itself: every other link order over the one before.
func (r *row) noise(unit string) estimate.Estimate {
	var halves [2][]float64
	for order, v := range r.values(before, unit) {
		halves[order%2] = append(halves[order%2], v)
	}
	return estimate.Between(halves[1], halves[0])
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
		measure.SetConfig(line, "link-order", "")
		w.Write(line) // to memory
	}
	return text.Bytes()
}
