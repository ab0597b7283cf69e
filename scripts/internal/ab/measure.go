package ab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"raysteps/common/turns"
	"raysteps/common/turns/benchturns"
	"raysteps/scripts/internal/estimate"
)

// The sides of a measurement. Again is Old in another link order: its difference is noise.
const (
	Old = iota
	New
	Again
	Sides
)

// Process serves slices of a test binary. It ends with its context and after an error.
type Process interface {
	Load(group any) ([]turns.Subject, error)
	Take(turns.Request) ([]turns.Values, error)
	Close() error
}

// Measurement compares the benchmarks of two versions of a package.
type Measurement struct {
	Functions [2][]Function // of Old and New
	Bench     string        // as of go test -bench
	Within    float64       // half width of an interval that is narrow enough, as a share

	// Link links all sides in an order, by its number from 0. Start starts that of a side.
	Link  func(ctx context.Context, order int) error
	Start func(ctx context.Context, side int) (Process, error)

	Rows []*Row
}

// Row is a benchmark.
type Row struct {
	Name    string               // without Benchmark
	Failure string               // why it is not measured, or empty
	Levels  [][]estimate.Figures // by launch and side

	n int // iterations of a slice
}

const sliceTime = 10 * time.Millisecond

// A narrow interval is believed of so many link orders, so many are wanted, and if there is
// time for more, each has so many rounds.
const enoughOrders, wantedOrders, mostRounds = 6, 12, 30

// left returns how much time there is.
func left(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return time.Until(deadline)
}

// Run measures until the deadline of the context or all intervals are narrow enough. Each
// launch has a link order of its own: more orders say more than more rounds of one.
func (m *Measurement) Run(ctx context.Context) error {
	err := m.Link(ctx, 0)
	if err == nil {
		err = m.find(ctx)
	}
	for order := 0; err == nil; order++ {
		rows := m.open()
		if len(rows) == 0 {
			return nil
		}
		until := time.Now().Add(left(ctx) * 9 / 10 / time.Duration(max(1, wantedOrders-order)))
		if order > 0 {
			err = m.Link(ctx, order)
		}
		if err == nil {
			err = m.launch(ctx, rows, until)
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return err
}

// open returns the rows that have no narrow interval yet.
func (m *Measurement) open() (rows []*Row) {
	for _, r := range m.Rows {
		ratio, _ := r.Ratio("sec/op")
		if r.Failure == "" && (ratio.Orders < enoughOrders || ratio.HalfWidth() > m.Within) {
			rows = append(rows, r)
		}
	}
	return rows
}

// find finds the rows.
func (m *Measurement) find(ctx context.Context) error {
	const once = "only one version has it"
	rows := map[string]*Row{}
	for version, functions := range m.Functions {
		for _, f := range functions {
			found, err := m.calibrate(ctx, version, f)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if errors.Is(err, context.DeadlineExceeded) {
				err = errors.New("takes longer than a quarter of the time that is left")
			}
			if err != nil {
				found = []*Row{{Name: strings.TrimPrefix(f.Name, "Benchmark"), Failure: err.Error()}}
			}
			for _, r := range found {
				first := rows[r.Name]
				if first == nil {
					r.Failure = cmp.Or(r.Failure, once)
					rows[r.Name], m.Rows = r, append(m.Rows, r)
				} else if first.Failure == once {
					first.Failure, first.n = r.Failure, min(first.n, r.n)
				}
			}
		}
	}
	return nil
}

// calibrate finds the rows of a benchmark function in a version, and how many iterations a
// slice of each has: as many as take its time, and of that, what it does before it measures
// is to take no more than two thirds. All of it may take a quarter of the time that is left.
func (m *Measurement) calibrate(ctx context.Context, version int, f Function) (rows []*Row, err error) {
	limited, cancel := context.WithTimeout(ctx, max(left(ctx)/4, 2*time.Second))
	defer cancel()
	p, err := m.Start(limited, version)
	if err != nil {
		return nil, err
	}
	defer p.Close() // nothing more is wanted of it
	subjects, err := p.Load(benchturns.Group{Function: f.Name, Bench: m.Bench})
	for i, s := range subjects {
		request := turns.Request{Subjects: []int{i}, Nanoseconds: sliceTime.Nanoseconds()}
		if _, err := p.Take(request); err != nil { // finds how many are enough
			return nil, err
		}
		start := time.Now()
		slices, err := p.Take(request)
		if err != nil {
			return nil, err
		}
		took, n := time.Since(start), slices[0][benchturns.Iterations]
		rows = append(rows, &Row{Name: s.Name, n: int(n * max(1, min(3, took.Seconds()/max(n*slices[0]["sec/op"], 1e-9)/3)))})
		if took > left(ctx)/100 {
			return nil, fmt.Errorf("%s takes %v at a time; want a -time that is longer, or another -bench", s.Name, took.Round(10*time.Millisecond))
		}
	}
	return rows, err
}

// launch lets rows take turns in a link order, until a time. What is compared follows each
// other at once, so that what slows the machine for a moment slows all sides.
func (m *Measurement) launch(ctx context.Context, rows []*Row, until time.Time) error {
	var group benchturns.Group
	for _, r := range rows {
		group.Known = append(group.Known, benchturns.Known{Name: r.Name, N: r.n})
	}
	var sides [Sides]Process
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
	cycles := make([][][]estimate.Figures, len(rows)) // by row, round and side
	for round := range mostRounds {                   // the first warms caches and predictors, and does not count
		for _, i := range rand.Perm(len(rows)) {
			values := make([]estimate.Figures, Sides)
			for _, side := range rand.Perm(Sides) {
				slices, err := sides[side].Take(turns.Request{Subjects: []int{i}})
				if err != nil {
					return err
				}
				values[side] = estimate.Figures(slices[0])
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

// Units returns what is compared: the time, and what the benchmark reports besides.
func (r *Row) Units() []string {
	units := []string{"sec/op"}
	for unit := range r.Levels[0][Old] {
		if !slices.Contains([]string{"sec/op", benchturns.Iterations, "B/s", "B/op", "allocs/op"}, unit) {
			units = append(units, unit)
		}
	}
	slices.Sort(units[1:])
	return units
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
	noise = estimate.Ratio(by[Again], by[Old], false)
	for i := range by[Old] { // the old version is linked twice, and its mean says more
		by[Old][i].Log = (by[Old][i].Log + by[Again][i].Log) / 2
	}
	return estimate.Ratio(by[New], by[Old], false), noise
}
