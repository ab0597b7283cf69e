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

// A slice is long enough for the caches to fill, and short enough that other programs hit few.
const sliceTime = 4 * time.Millisecond

// A narrow interval is believed of so many link orders, so many are wanted, and if there is
// time for more, each has so many rounds.
const enoughOrders, wantedOrders, mostRounds = 8, 20, 30

// left returns how much time there is.
func left(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return time.Until(deadline)
}

// Run measures until the deadline of the context or all intervals are narrow enough. Each
// launch has a link order of its own: more orders say more than more rounds of one, as long
// as linking does not take more time than the rounds.
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
		start, share := time.Now(), left(ctx)*9/10/time.Duration(max(1, wantedOrders-order))
		if order > 0 {
			err = m.Link(ctx, order)
		}
		if err == nil {
			err = m.launch(ctx, rows, start.Add(max(share, 2*time.Since(start))))
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

// find finds the rows: those that both versions have, and what is to be said of others.
func (m *Measurement) find(ctx context.Context) error {
	var names []string
	for _, f := range slices.Concat(m.Functions[Old], m.Functions[New]) {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	for _, name := range names {
		var found [2][]*Row
		for version := range found {
			rows, err := m.calibrate(ctx, version, name)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil { // and nothing is known of what it has
				found = [2][]*Row{{{Name: strings.TrimPrefix(name, "Benchmark"), Failure: err.Error()}}}
				break
			}
			found[version] = rows
		}
		for version, rows := range found {
			for _, r := range rows {
				same := func(other *Row) bool { return other.Name == r.Name }
				if i := slices.IndexFunc(found[1-version], same); i < 0 {
					r.Failure = cmp.Or(r.Failure, "only one version has it")
				} else if other := found[1-version][i]; version == Old {
					r.Failure, r.n = cmp.Or(r.Failure, other.Failure), min(r.n, other.n)
				} else {
					continue
				}
				m.Rows = append(m.Rows, r)
			}
		}
	}
	return nil
}

// calibrate finds the rows of a benchmark function in a version. All of it may take a
// quarter of the time that is left.
func (m *Measurement) calibrate(ctx context.Context, version int, name string) (rows []*Row, err error) {
	limited, cancel := context.WithTimeout(ctx, max(left(ctx)/4, 2*time.Second))
	defer cancel()
	group := benchturns.Group{Function: name, Bench: m.Bench}
	p, err := m.load(limited, version, &group)
	for i := 0; err == nil && i < len(group.Known); i++ {
		r := &Row{Name: group.Known[i].Name}
		if failure := r.calibrate(p, i, left(ctx)/100); failure != nil {
			r.Failure = failure.Error()
			p.Close() // it has ended
			p, err = m.load(limited, version, &group)
		}
		rows = append(rows, r)
	}
	if limited.Err() != nil {
		return nil, errors.New("takes longer than a quarter of the time that is left")
	}
	if err == nil {
		p.Close() // nothing more is wanted of it
	}
	return rows, err
}

// load starts a side and loads a group, which knows its subjects then.
func (m *Measurement) load(ctx context.Context, side int, group *benchturns.Group) (Process, error) {
	p, err := m.Start(ctx, side)
	if err != nil {
		return nil, err
	}
	subjects, err := p.Load(*group)
	if err != nil {
		p.Close() // it has ended
		return nil, err
	}
	if len(group.Known) == 0 {
		for _, s := range subjects {
			group.Known = append(group.Known, benchturns.Known{Name: s.Name})
		}
	}
	return p, nil
}

// calibrate finds how many iterations a slice has: as many as take its time, and of that,
// what it does before it measures is to take no more than two thirds. A slice that takes
// longer than a limit is a failure.
func (r *Row) calibrate(p Process, subject int, limit time.Duration) error {
	request := turns.Request{Subjects: []int{subject}, Nanoseconds: sliceTime.Nanoseconds()}
	if _, err := p.Take(request); err != nil { // finds how many are enough
		return err
	}
	took := time.Duration(math.MaxInt64)
	for range 3 { // if other programs have the processors
		start := time.Now()
		slices, err := p.Take(request)
		if err != nil {
			return err
		}
		took = min(took, time.Since(start))
		if n := slices[0][benchturns.Iterations]; took <= limit {
			r.n = int(n * max(1, min(3, took.Seconds()/max(n*slices[0]["sec/op"], 1e-9)/3)))
			return nil
		}
	}
	return fmt.Errorf("takes %v at a time; want a -time that is longer, or another -bench", took.Round(10*time.Millisecond))
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
		p, err := m.load(ctx, side, &group)
		if err != nil {
			return err
		}
		defer p.Close() // nothing more is wanted of it
		sides[side] = p
	}
	cycles := make([][][]estimate.Figures, len(rows)) // by row, round and side
	for round := range mostRounds {                   // the first is short, warms caches and predictors, and does not count
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
