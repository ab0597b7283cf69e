package ab

import (
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
)

// The sides of a measurement. Again is Old in another link order: its difference is noise.
const (
	Old = iota
	New
	Again
	Sides
)

// Process serves slices of a test binary: a launch.Process, or what stands for one in a
// test. It ends with its context and after an error.
type Process interface {
	Load(group any) ([]turns.Subject, error)
	Take(turns.Request) ([]turns.Values, error)
	Close() error
}

// Measurement compares the benchmarks of two versions of a package.
type Measurement struct {
	Functions  [2][]Function // of Old and New
	Bench      string        // as of go test -bench
	Processors []string      // values of -cpu, or an empty one
	Within     float64       // half width of an interval that is narrow enough, as a share

	// Link links all sides in an order, by its number from 0. Start starts that of a side.
	Link  func(ctx context.Context, order int) error
	Start func(ctx context.Context, side, order int, processors string) (Process, error)
	Step  func(rows int) // called after each round of so many

	Rows []*Row
}

// Row is a benchmark.
type Row struct {
	Name, Processors string // without Benchmark; the value of -cpu
	Failure          string // why it is not measured, or empty
	Alone            bool   // fails beside others or the second time: has a process for each slice
	Levels           []Level

	nanoseconds int64         // of a slice, as they are asked for
	n           int           // iterations of a slice
	cost        time.Duration // of a slice, with what is not counted
}

// Level is what a launch says: one figure for each side and unit.
type Level struct {
	Order  int
	Values []estimate.Figures // by side
}

// How long slices take, and those of benchmarks that start goroutines: for the first
// milliseconds the system may run them on the same core.
const (
	sliceTime   = 3 * time.Millisecond
	workersTime = 15 * time.Millisecond
)

const (
	enoughOrders             = 6 // for a narrow interval to be believed
	fewestRounds, mostRounds = 4, 30
)

// Run measures until the context ends or all intervals are narrow enough. It launches
// each link order once: more orders say more than more rounds of one.
func (m *Measurement) Run(ctx context.Context) (err error) {
	cost := time.Second // of a launch before its rounds, and of linking it
	for order := 0; err == nil; order++ {
		start := time.Now()
		if err = m.Link(ctx, order); err == nil && order == 0 {
			err = m.find(ctx)
			start = time.Now() // it was compiled, too
		}
		linking := time.Since(start)
		rows := m.open()
		round := time.Duration(0)
		for _, r := range rows {
			round += Sides * r.cost
		}
		if err != nil || round == 0 {
			break
		}
		rounds := max(10, min(mostRounds, int(2*cost/round)))
		if deadline, ok := ctx.Deadline(); ok {
			share := time.Until(deadline) / time.Duration(max(1, enoughOrders-order))
			rounds = max(fewestRounds, min(rounds, int((share-cost)/round)))
		}
		cost = linking
		for _, processors := range m.Processors {
			cost += m.launch(ctx, order, processors, rows, rounds)
		}
		err = ctx.Err()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return err
}

// open returns the rows that have no narrow interval yet.
func (m *Measurement) open() (rows []*Row) {
	for _, r := range m.Rows {
		ratio, _ := r.Ratio(r.Units()[0])
		if r.Failure == "" && (ratio.Orders < enoughOrders || !(ratio.HalfWidth() <= m.Within)) {
			rows = append(rows, r)
		}
	}
	return rows
}

// find finds the rows, and how many iterations a slice of each has.
func (m *Measurement) find(ctx context.Context) error {
	for _, processors := range m.Processors {
		rows, sides := map[string]*Row{}, map[string]int{} // how many have it, by name
		for side, functions := range m.Functions {
			l := m.live(side, 0, processors)
			for _, f := range functions {
				l.group, l.loaded = benchturns.Group{Function: f.Name, Bench: m.Bench}, false
				err := l.call(ctx, func(Process) error { return nil })
				subjects := l.subjects
				if err != nil {
					subjects = []turns.Subject{{Name: strings.TrimPrefix(f.Name, "Benchmark")}}
				}
				for i, s := range subjects {
					row := rows[s.Name]
					if row == nil {
						row = &Row{Name: s.Name, Processors: processors, nanoseconds: sliceTime.Nanoseconds()}
						if f.Workers {
							row.nanoseconds = workersTime.Nanoseconds()
						}
						rows[s.Name], m.Rows = row, append(m.Rows, row)
					}
					sides[s.Name]++
					if err != nil {
						row.Failure = err.Error()
					} else if row.Failure == "" {
						l.calibrate(ctx, i, row)
					}
				}
				if ctx.Err() != nil {
					break
				}
			}
			l.end()
		}
		for name, row := range rows {
			if sides[name] == 1 && row.Failure == "" {
				row.Failure = "only one version has it"
			}
		}
	}
	return ctx.Err()
}

// calibrate finds how many iterations a slice has: as many as take its time on the slower
// side.
func (l *live) calibrate(ctx context.Context, i int, row *Row) {
	n := row.n
	for row.n = 0; ; {
		l.slice(ctx, i, row) // finds how many are enough
		start := time.Now()
		slice := l.slice(ctx, i, row)
		took, iterations := time.Since(start), slice[benchturns.Iterations]
		counted, want := iterations*slice["sec/op"], float64(row.nanoseconds)/1e9
		if row.Alone && counted > 0 && counted < want/2 && iterations < 1e8 { // has one slice
			row.n = int(iterations * max(2, min(100, want/counted)))
			continue
		}
		// What a benchmark does before it measures is to take no more than two thirds.
		factor := max(1, min(3, took.Seconds()/max(counted, 1e-9)/3))
		row.cost = max(row.cost, time.Duration(float64(took)*factor))
		if row.n = int(iterations * factor); n > 0 {
			row.n = min(n, row.n)
		}
		return
	}
}

// launch lets rows take turns in a link order, and returns how long it took to get there:
// to start the processes, and a first round for caches and predictors.
func (m *Measurement) launch(ctx context.Context, order int, processors string, rows []*Row, rounds int) (before time.Duration) {
	start := time.Now()
	rows = slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return r.Processors != processors })
	var sides [Sides]*live
	for side := range sides {
		sides[side] = m.live(side, order, processors)
		defer sides[side].end()
		for _, r := range rows {
			sides[side].group.Known = append(sides[side].group.Known, benchturns.Known{Name: r.Name, N: r.n})
		}
	}
	taken := make([][][]estimate.Figures, len(rows)) // by row, round and side
	for round := -1; round < rounds && ctx.Err() == nil; round++ {
		for _, i := range rand.Perm(len(rows)) {
			row, values, alone := rows[i], make([]estimate.Figures, Sides), rows[i].Alone
			for _, side := range rand.Perm(Sides) {
				if row.Failure == "" && ctx.Err() == nil {
					values[side] = estimate.Figures(sides[side].slice(ctx, i, row))
				}
			}
			if row.Alone != alone {
				taken[i] = nil
			}
			if round >= 0 && row.Failure == "" && ctx.Err() == nil {
				taken[i] = append(taken[i], values)
			}
		}
		if m.Step(len(rows)); round < 0 {
			before = time.Since(start)
		}
	}
	for i, row := range rows {
		if len(taken[i]) >= fewestRounds && row.Failure == "" {
			row.Levels = append(row.Levels, Level{order, estimate.Levels(taken[i])})
		}
	}
	return before
}

// live is a process of a side that is started when it is needed, again if it has ended.
type live struct {
	start    func(context.Context) (Process, error)
	group    benchturns.Group
	loaded   bool // the group, which has these subjects
	subjects []turns.Subject
	process  Process
	cancel   context.CancelFunc
}

func (m *Measurement) live(side, order int, processors string) *live {
	return &live{start: func(ctx context.Context) (Process, error) { return m.Start(ctx, side, order, processors) }}
}

// call has the process do something with its group, in a quarter of the time that is left.
func (l *live) call(ctx context.Context, do func(Process) error) (err error) {
	limit := time.Hour
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(time.Until(deadline)/4, 2*time.Second)
	}
	if l.process == nil {
		own, cancel := context.WithCancel(ctx)
		if l.process, err = l.start(own); err != nil {
			l.process = nil
			cancel()
			return err
		}
		l.cancel = cancel
	}
	timer := time.AfterFunc(limit, l.cancel)
	if !l.loaded {
		l.subjects, err = l.process.Load(l.group)
		l.loaded = err == nil
	}
	if err == nil {
		err = do(l.process)
	}
	if !timer.Stop() {
		err = fmt.Errorf("takes longer than %v, a quarter of the time that is left", limit.Round(100*time.Millisecond))
	}
	if err != nil {
		l.end()
	}
	return err
}

func (l *live) end() {
	if l.process != nil {
		l.process.Close() // nothing more is wanted of it
		l.cancel()
		l.process, l.loaded = nil, false
	}
}

// slice takes a slice of a row by its number in the group, in a process of its own if that
// needs one. There is none if the context ends or the row fails, which then says why.
func (l *live) slice(ctx context.Context, i int, row *Row) (values turns.Values) {
	take := func(p Process) error {
		all, err := p.Take(turns.Request{Subjects: []int{i}, Nanoseconds: row.nanoseconds})
		if err == nil {
			values = all[0]
		}
		return err
	}
	if !row.Alone {
		if err := l.call(ctx, take); err == nil || ctx.Err() != nil {
			return values
		}
		row.Alone = true
	}
	i = 0
	own := &live{start: l.start, group: benchturns.Group{Known: []benchturns.Known{{Name: row.Name, N: max(1, row.n)}}}}
	defer own.end()
	if err := own.call(ctx, take); err != nil && ctx.Err() == nil {
		row.Failure = err.Error()
	}
	return values
}

// Units returns what is compared: the time first, unless the benchmark reports something
// in its place, and what it reports besides.
func (r *Row) Units() (units []string) {
	if len(r.Levels) > 0 {
		units = slices.Sorted(maps.Keys(r.Levels[0].Values[Old]))
	}
	units = slices.DeleteFunc(units, func(u string) bool {
		return slices.Contains([]string{benchturns.Iterations, "sec/op", "B/s", "B/op", "allocs/op"}, u)
	})
	if len(units) == 0 || r.Levels[0].Values[Old]["sec/op"] > 0 {
		units = slices.Insert(units, 0, "sec/op")
	}
	return units
}

// Median returns the median over link orders of a side.
func (r *Row) Median(side int, unit string) float64 {
	var values []float64
	for _, l := range r.Levels {
		values = append(values, l.Values[side][unit])
	}
	return estimate.Median(values)
}

// Ratio returns the new version over the old, and the old over itself.
func (r *Row) Ratio(unit string) (ratio, noise estimate.Estimate) {
	var by [Sides][]estimate.Launch
	for _, l := range r.Levels {
		for side, values := range l.Values {
			by[side] = append(by[side], estimate.Launch{Order: l.Order, Log: math.Log(values[unit])})
		}
	}
	noise = estimate.Ratio(by[Again], by[Old], false)
	for i := range by[Old] { // the old version is linked twice, and its mean says more
		by[Old][i].Log = (by[Old][i].Log + by[Again][i].Log) / 2
	}
	return estimate.Ratio(by[New], by[Old], false), noise
}
