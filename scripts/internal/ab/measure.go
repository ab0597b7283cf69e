package ab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"raysteps/common/turns"
	"raysteps/common/turns/benchturns"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/launch"
)

// The sides of a measurement. Again is Old in another link order: its difference is noise.
const (
	Old = iota
	New
	Again
	Sides
)

// Measurement compares the benchmarks of two versions of a package.
type Measurement struct {
	Functions []Function // of both versions
	Bench     string     // as of go test -bench
	Within    float64    // half width of an interval that is narrow enough, as a share

	// Link links all sides in an order, by its number from 0. Start starts that of a side,
	// which ends with its context and after an error.
	Link  func(ctx context.Context, order int) error
	Start func(ctx context.Context, side int) (launch.Server, error)

	Rows []*Row

	end time.Time
}

// Row is a benchmark.
type Row struct {
	Name    string           // without Benchmark
	Failure string           // why it is not measured, or empty
	Levels  [][]turns.Values // by launch and side

	n int // iterations of a slice
}

// A slice is long enough for the caches to fill, and short enough that other programs hit few.
const sliceTime = 4 * time.Millisecond

// A narrow interval is believed of so many link orders, so many are wanted, and if there is
// time for more, each has so many rounds.
const enoughOrders, wantedOrders, mostRounds = 12, 20, 30

// Run measures until the deadline of the context or all intervals are narrow enough. Each
// launch has a link order of its own: more orders say more than more rounds of one, as long
// as linking does not take more time than the rounds.
func (m *Measurement) Run(ctx context.Context) error {
	m.end, _ = ctx.Deadline()
	err := m.Link(ctx, 0)
	if err == nil {
		err = m.find(ctx)
	}
	for order := 0; err == nil; order++ {
		rows := slices.DeleteFunc(slices.Clone(m.Rows), func(r *Row) bool {
			ratio, _ := r.Ratio("sec/op")
			return r.Failure != "" || ratio.Orders >= enoughOrders && ratio.HalfWidth() <= m.Within
		})
		if len(rows) == 0 {
			return nil
		}
		start, most := time.Now(), time.Until(m.end)*9/10
		if order > 0 {
			err = m.Link(ctx, order)
		}
		if err == nil {
			share := max(most/time.Duration(max(1, wantedOrders-order)), 2*time.Since(start))
			err = m.launch(ctx, rows, start.Add(min(share, most)))
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return err
}

// find finds the rows: what both versions have, and what is to be said of the rest.
func (m *Measurement) find(ctx context.Context) error {
	for i, function := range m.Functions {
		if slices.ContainsFunc(m.Functions[:i], func(f Function) bool { return f.Name == function.Name }) {
			continue // the old version has it, too
		}
		var found []*Row
		versions := map[string][]*Row{} // by name
		for version := range Again {
			rows, err := m.calibrate(ctx, version, function.Name)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil { // and so nothing is known of its sub-benchmarks
				found = []*Row{{Name: strings.TrimPrefix(function.Name, "Benchmark"), Failure: err.Error()}}
				versions = map[string][]*Row{found[0].Name: {found[0], found[0]}}
				break
			}
			for _, r := range rows {
				found, versions[r.Name] = append(found, r), append(versions[r.Name], r)
			}
		}
		for _, r := range found {
			if both := versions[r.Name]; len(both) == 1 {
				r.Failure = cmp.Or(r.Failure, "only one version has it")
			} else if r != both[Old] {
				continue
			} else {
				r.Failure, r.n = cmp.Or(r.Failure, both[New].Failure), min(r.n, both[New].n)
			}
			m.Rows = append(m.Rows, r)
		}
	}
	return nil
}

// calibrate finds the rows of a benchmark function in a version. All of it may take a
// quarter of the time that is left.
func (m *Measurement) calibrate(ctx context.Context, version int, function string) (rows []*Row, err error) {
	limited, cancel := context.WithTimeout(ctx, max(time.Until(m.end)/4, 2*time.Second))
	defer cancel()
	p, err := m.Start(limited, version)
	if err != nil {
		return nil, err
	}
	defer p.Close() // nothing more is wanted of it
	subjects, err := p.Load(benchturns.Group{Function: function, Bench: m.Bench})
	for i, s := range subjects {
		r := &Row{Name: s.Name, Failure: s.Config[benchturns.Failure]}
		if rows = append(rows, r); r.Failure == "" && err == nil {
			err = r.calibrate(p, i, time.Until(m.end)/50)
		}
	}
	if limited.Err() != nil {
		err = errors.New("takes longer than a quarter of the time that is left")
	}
	return rows, err
}

// calibrate finds how many iterations a slice has: as many as take its time, and of that,
// what it does before it measures is to take no more than two thirds. An error is one of the
// process, which has ended.
func (r *Row) calibrate(p launch.Server, subject int, limit time.Duration) error {
	request := turns.Request{Subjects: []int{subject}, Nanoseconds: sliceTime.Nanoseconds()}
	if _, err := p.Take(request); err != nil { // finds how many are enough
		return err
	}
	start := time.Now()
	slices, err := p.Take(request)
	if err != nil {
		return err
	}
	took, n := time.Since(start), slices[0][benchturns.Iterations]
	if r.n = int(n * max(1, min(3, took.Seconds()/max(n*slices[0]["sec/op"], 1e-9)/3))); took > limit {
		r.Failure = fmt.Sprintf("takes %v at a time; want a -time that is longer, or another -bench", took.Round(10*time.Millisecond))
	}
	return nil
}

// launch lets rows take turns in a link order, until a time. What is compared follows each
// other at once, so that what slows the machine for a moment slows all sides.
func (m *Measurement) launch(ctx context.Context, rows []*Row, until time.Time) error {
	var group benchturns.Group
	for _, r := range rows {
		group.Known = append(group.Known, benchturns.Known{Name: r.Name, N: r.n})
	}
	var sides [Sides]launch.Server
	for side := range sides {
		p, err := m.Start(ctx, side)
		if err != nil {
			return err
		}
		defer p.Close() // nothing more is wanted of it
		if _, err := p.Load(group); err != nil {
			return err
		}
		sides[side] = p
	}
	cycles := make([][][]turns.Values, len(rows)) // by row, round and side
	for round := range mostRounds {               // the first is short, warms caches and predictors, and does not count
		for _, i := range rand.Perm(len(rows)) {
			values := make([]turns.Values, Sides)
			for _, side := range rand.Perm(Sides) {
				slices, err := sides[side].Take(turns.Request{Subjects: []int{i}})
				if err != nil {
					return err
				}
				values[side] = slices[0]
			}
			if round > 0 {
				cycles[i] = append(cycles[i], values)
			}
		}
		if round > 0 && time.Now().After(until) {
			break
		}
	}
	for i, row := range rows {
		row.Levels = append(row.Levels, estimate.Levels(cycles[i]))
	}
	return nil
}

// Units returns what a benchmark reports: the time, and all else that is no rate.
func (r *Row) Units() []string {
	units := slices.Sorted(maps.Keys(r.Levels[0][Old]))
	units = slices.DeleteFunc(units, func(unit string) bool {
		return slices.Contains([]string{"sec/op", benchturns.Iterations, "B/s"}, unit)
	})
	return append([]string{"sec/op"}, units...)
}

// Median returns the median over link orders of a side.
func (r *Row) Median(side int, unit string) float64 {
	var values []float64
	for _, l := range r.Levels {
		values = append(values, l[side][unit])
	}
	return estimate.Median(values)
}

// Ratio returns the new version over the old, and the old over itself.
func (r *Row) Ratio(unit string) (ratio, noise estimate.Estimate) {
	var by [Sides][]estimate.Launch
	for order, l := range r.Levels {
		for side, values := range l {
			by[side] = append(by[side], estimate.Launch{Order: order, Log: math.Log(values[unit])})
		}
	}
	noise = estimate.Ratio(by[Again], by[Old])
	for i := range by[Old] { // the old version is linked twice, and its mean says more
		by[Old][i].Log = (by[Old][i].Log + by[Again][i].Log) / 2
	}
	return estimate.Ratio(by[New], by[Old]), noise
}
