// Package measure measures benchmarks of linked test binaries in turns: slices of some
// milliseconds, in another random order in each cycle, in several processes that stand
// beside each other, and in many link orders. What slows the machine for a moment slows all
// that is compared alike, and no place of the code decides what is found.
//
// A launch is one start of the processes of a [Unit], each linked in an order of its own.
// What it says of a benchmark is one line in the Go benchmark format.
package measure

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/estimate"
)

// Measurement is what takes part, and what came of it.
type Measurement struct {
	Units  []*Unit
	End    time.Time
	Orders int // link orders at the most, or 0
	// Wanted is how many link orders the time is shared out to: if it is short, each has
	// fewer rounds. More orders tell more than more rounds of one.
	Wanted int
	Rounds int             // slices of each subject in a launch, at the most
	Before func(order int) // is called before each launch, once all is linked; nil for nothing
	Random *rand.Rand      // of the turns; nil for others each time

	Done int // link orders
}

// Unit is what is launched together.
type Unit struct {
	Sides  []*Side
	Groups []*Group
}

// Side is a program of a unit.
type Side struct {
	Package string            // import path
	Config  map[string]string // of all its lines
	// Link links it in an order, by its number from 0; other sides are linked at the same
	// time. Start starts what was linked last, on so many processors. The process ends with
	// its context and after an error.
	Link  func(ctx context.Context, order int) error
	Start func(ctx context.Context, cpu int) (Server, error)
}

// Group is what is compared: its subjects have the same cycles.
type Group struct {
	Name     string // for the caller
	Subjects []*Subject
	Done     func() bool // whether enough is known of it; nil if nothing is

	Lines []*benchfmt.Result // one a launch and subject
}

// Subject is a benchmark of a side.
type Subject struct {
	Side    int
	Name    string // of the benchmark, without "Benchmark"
	N       int    // iterations of a slice
	CPU     int    // processors that it may use
	Workers int    // processors that it uses all the time, unless others take them; 0 if it does not say
	Few     int    // slices in a launch at the most, since they take so long that they warm up by themselves; 0 for one in each round

	server Server // in a launch
}

// Run measures one link order after the other until the time is up, or enough is known of all
// groups. None begins that has no time to end, once there are as many as give an interval. What
// stops it is an error, beside what was measured before.
func (m *Measurement) Run(ctx context.Context) error {
	begun := time.Now()
	if m.Random == nil {
		m.Random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	for ; m.Orders == 0 || m.Done < m.Orders; m.Done++ {
		start, left := time.Now(), time.Until(m.End)
		if m.Done > 0 && left <= 0 || m.Done >= estimate.Least && left < time.Since(begun)/time.Duration(m.Done) {
			break
		}
		units := m.unfinished()
		if len(units) == 0 {
			break
		}
		if err := m.Link(ctx, units); err != nil {
			return err
		}
		if m.Before != nil {
			m.Before(m.Done)
		}
		share := max(left*9/10/time.Duration(max(1, m.Wanted-m.Done)), 2*time.Since(start))
		until := start.Add(min(share, left))
		for i, u := range units {
			end := time.Now().Add(time.Until(until) / time.Duration(len(units)-i))
			if err := m.launch(ctx, u, end); err != nil {
				return err
			}
		}
	}
	return nil
}

// unfinished returns the units of which something is not known well enough, with these groups.
func (m *Measurement) unfinished() (units []*Unit) {
	for _, u := range m.Units {
		groups := slices.DeleteFunc(slices.Clone(u.Groups), func(g *Group) bool { return g.Done != nil && g.Done() })
		if len(groups) > 0 {
			units = append(units, &Unit{u.Sides, groups})
		}
	}
	return units
}

// Link links all sides in the next order. It keeps all cores busy: nothing is measured meanwhile.
func (m *Measurement) Link(ctx context.Context, units []*Unit) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, u := range units {
		for _, s := range u.Sides {
			group.Go(func() error { return s.Link(ctx, m.Done) })
		}
	}
	return group.Wait()
}

// launch lets the subjects of a unit take turns until a time. The first round warms caches
// and predictors, and does not count.
func (m *Measurement) launch(ctx context.Context, u *Unit, until time.Time) error {
	started := map[[2]int]Server{} // by side and number of processors
	defer func() {
		for _, s := range started {
			s.Close() // nothing more is wanted of it
		}
	}()
	for _, g := range u.Groups {
		for _, s := range g.Subjects {
			key := [2]int{s.Side, s.CPU}
			if started[key] == nil {
				server, err := u.Sides[s.Side].Start(ctx, s.CPU)
				if err != nil {
					return err
				}
				started[key] = server
			}
			s.server = started[key]
		}
	}
	cycles := make([][][]map[string]float64, len(u.Groups)) // by group, round and subject
	number := m.Random.Uint64()                             // of the cycle, the next one of which has the next
	for round := range 1 + m.Rounds {
		took := false
		for _, i := range m.Random.Perm(len(u.Groups)) {
			g := u.Groups[i]
			order := slices.DeleteFunc(m.Random.Perm(len(g.Subjects)), func(i int) bool {
				few := g.Subjects[i].Few
				return few > 0 && (round == 0 || round > few)
			})
			// A slice that follows one of another process finds its caches cold. That happens to few,
			// and to all alike.
			side := m.Random.Perm(len(u.Sides))
			slices.SortStableFunc(order, func(i, j int) int { return side[g.Subjects[i].Side] - side[g.Subjects[j].Side] })
			values, err := cycle(g.Subjects, order, round == 0, number+uint64(round))
			if err != nil {
				return err
			}
			if took = took || len(order) > 0; round > 0 {
				cycles[i] = append(cycles[i], values)
			}
		}
		if round > 0 && (!took || time.Now().After(until)) {
			break
		}
	}
	for i, g := range u.Groups {
		g.Lines = append(g.Lines, g.lines(u.Sides, cycles[i], m.Done+1)...)
	}
	return nil
}

// cycle takes slices in an order, short ones if they only warm up, and returns their values
// by subject. Those that follow each other in one process are one request. One that was
// disturbed, or lacked processors, is taken again, once.
func cycle(subjects []*Subject, order []int, warm bool, number uint64) ([]map[string]float64, error) {
	values := make([]map[string]float64, len(subjects))
	for len(order) > 0 {
		request, n, server := Request{Cycle: number}, 0, subjects[order[0]].server
		for ; n < len(order) && subjects[order[n]].server == server; n++ {
			s := subjects[order[n]]
			iterations := s.N
			if warm {
				iterations = max(1, s.N/8)
			}
			request.Slices = append(request.Slices, Run{s.Name, iterations})
		}
		taken, err := server.Ask(request)
		if err != nil {
			return nil, err
		}
		var again []int
		for k, i := range order[:n] {
			// Disturbed is above all the first of a process that slept: a thread of the Go runtime looks
			// after it so often then that it waits for that, unless a core is idle.
			lacks := estimate.Lacks(taken[k].Values[Processors], subjects[i].Workers)
			if (taken[k].Disturbed || lacks) && values[i] == nil && !warm {
				again = append(again, i)
			}
			values[i] = taken[k].Values
		}
		order = append(again, order[n:]...)
	}
	return values, nil
}

// lines returns what a launch says of each subject.
func (g *Group) lines(sides []*Side, cycles [][]map[string]float64, order int) (lines []*benchfmt.Result) {
	for i, level := range estimate.Levels(cycles) {
		if len(level) == 0 {
			continue
		}
		s := g.Subjects[i]
		line := &benchfmt.Result{Name: benchfmt.Name(s.Name)}
		for _, cycle := range cycles {
			if cycle[i] != nil {
				line.Iters++
			}
		}
		if s.Workers == 0 {
			delete(level, Processors)
		}
		for _, unit := range append([]string{"sec/op"}, slices.Sorted(maps.Keys(level))...) { // that first
			if value, ok := level[unit]; ok {
				line.Values = append(line.Values, benchfmt.Value{Value: value, Unit: unit})
				delete(level, unit)
			}
		}
		config := map[string]string{"pkg": sides[s.Side].Package, "link-order": strconv.Itoa(order)}
		maps.Copy(config, sides[s.Side].Config)
		for _, key := range slices.Sorted(maps.Keys(config)) {
			SetConfig(line, key, config[key])
		}
		lines = append(lines, line)
	}
	return lines
}

// SetConfig gives a line a configuration that a file shows; an empty value takes it away.
func SetConfig(r *benchfmt.Result, key, value string) {
	r.SetConfig(key, value)
	if i, ok := r.ConfigIndex(key); ok {
		r.Config[i].File = true
	}
}

// Benchmarks returns the benchmarks of a function of a side, which has to be linked, that a
// pattern selects: of each a slice that takes so long, with the values of one iteration. A
// failure of one is said in its place; an error is of all.
func (s *Side) Benchmarks(ctx context.Context, function, pattern string, cpu int, slice time.Duration) (found []*Slice, err error) {
	p, err := s.Start(ctx, cpu)
	if err != nil {
		return nil, err
	}
	defer p.Close() // nothing more is wanted of it
	found, err = p.Ask(Request{Function: function, Bench: pattern})
	for _, f := range found {
		f.N, f.Took = 1, time.Duration(1e9*f.Values["sec/op"])
		if f.Failure == "" && f.Took < 64*slice && err == nil {
			err = f.calibrate(p, slice.Seconds())
		}
	}
	return found, err
}

// calibrate finds how many iterations a slice has: as many as take so many seconds, and of
// that, what it does before it measures is to take no more than two thirds. The testing package
// would find them by itself, and without end where a benchmark does more than it counts. After
// an error, which may be a failure of the benchmark, the process is of no more use.
func (s *Slice) calibrate(p Server, want float64) error {
	best, apart := math.Inf(1), math.Inf(1) // seconds of an iteration, and of what is done beside them
	for try := 0; try < 2; try++ {
		taken, err := p.Ask(Request{Slices: []Run{{s.Name, s.N}}})
		if err != nil {
			return err
		}
		took := taken[0].Took.Seconds()
		best = min(best, cmp.Or(taken[0].Values["sec/op"], took/float64(s.N)))
		// Iterations can seem slow, since they are the first or another program had the
		// processor: that must not make n too small, and neither must what a benchmark does apart
		// from its iterations. Nor may n grow without end if it does more than it counts.
		more := max(want, took-apart)
		if s.N == 1 {
			apart, more = min(apart, took), took
		}
		s.Took = time.Duration(1e9 * took)
		if n := float64(s.N); n*best < want/2 && took < 10*want+apart && n < 1e8 {
			s.N, try = 1+int(min(want/best, n*max(2, 30*want/more))), -1
		} else if took > 64*want {
			break
		}
	}
	s.N = int(float64(s.N) * max(1, min(3, s.Took.Seconds()/max(float64(s.N)*best, 1e-9)/3)))
	return nil
}

// Lines returns those of all groups, in the order of these.
func (m *Measurement) Lines() (all []*benchfmt.Result) {
	for _, u := range m.Units {
		for _, g := range u.Groups {
			all = append(all, g.Lines...)
		}
	}
	return all
}
