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
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/estimate"
)

// Measurement is what takes part, and what came of it.
type Measurement struct {
	Units     []*Unit
	End       time.Time
	MaxOrders int // link orders at the most, or 0
	// TargetOrders is how many link orders the time is shared out to: if it is short, each has
	// fewer rounds. More orders tell more than more rounds of one.
	TargetOrders int
	MaxRounds    int             // slices of each subject in a launch, at the most
	BeforeLaunch func(order int) // is called before each launch, once all is linked; nil for nothing
	Random       *rand.Rand      // of the turns; nil for others each time
	KeepGoing    bool            // whether what fails is left out, with its reason, and does not end all

	OrderCount int // link orders
}

// Unit is what is launched together.
type Unit struct {
	Sides  []*Side
	Groups []*Group
	Err    error // why it is left out, or nil

	whole *Unit // of which this has the groups that are not done, or nil
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

	Skips bool // whether benchmarks of it may skip themselves
}

// Group is what is compared: its subjects have the same cycles.
type Group struct {
	Name     string // for the caller
	Subjects []*Subject
	Settled  func() bool // whether enough is known of it; nil if nothing is
	Err      error       // why it is left out, or nil

	Lines []*benchfmt.Result // one a launch and subject
}

// Subject is a benchmark of a side.
type Subject struct {
	Side    int
	Name    string  // of the benchmark, without "Benchmark"
	N       int     // iterations of a slice
	Work    float64 // squarings that are planted in an iteration, of [Side.Planted]
	CPU     int     // processors that it may use
	Workers int     // processors that it uses all the time, unless others take them; 0 for unknown
	// MaxSlices is how many slices it has in a launch, since they take so long that they warm
	// up by themselves; 0 for one in each round.
	MaxSlices int

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
	for ; m.MaxOrders == 0 || m.OrderCount < m.MaxOrders; m.OrderCount++ {
		start, left := time.Now(), time.Until(m.End)
		if m.OrderCount > 0 && left <= 0 ||
			m.OrderCount >= estimate.MinOrders && left < time.Since(begun)/time.Duration(m.OrderCount) {
			break
		}
		units := m.unfinished()
		if len(units) == 0 {
			break
		}
		if err := m.Link(ctx, units); err != nil {
			return err
		}
		if m.BeforeLaunch != nil {
			m.BeforeLaunch(m.OrderCount)
		}
		share := max(left*9/10/time.Duration(max(1, m.TargetOrders-m.OrderCount)), 2*time.Since(start))
		until := start.Add(min(share, left))
		for i, u := range units {
			if u.whole.Err != nil {
				continue
			}
			end := time.Now().Add(time.Until(until) / time.Duration(len(units)-i))
			if err := m.launch(ctx, u, end); err != nil {
				return err
			}
			u.whole.Err = u.Err
		}
	}
	return nil
}

// unfinished returns the units of which something is not known well enough, with these groups.
func (m *Measurement) unfinished() (units []*Unit) {
	for _, u := range m.Units {
		groups := slices.DeleteFunc(slices.Clone(u.Groups), func(g *Group) bool {
			return g.Err != nil || g.Settled != nil && g.Settled()
		})
		if len(groups) > 0 && u.Err == nil {
			units = append(units, &Unit{Sides: u.Sides, Groups: groups, whole: u})
		}
	}
	return units
}

// Link links all sides in the next order. It keeps all cores busy: nothing is measured meanwhile.
func (m *Measurement) Link(ctx context.Context, units []*Unit) error {
	group, all := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var lock sync.Mutex
	for _, u := range units {
		for _, s := range u.Sides {
			group.Go(func() error {
				err := s.Link(all, m.OrderCount)
				if err == nil {
					return nil
				}
				lock.Lock()
				defer lock.Unlock()
				return m.exclude(ctx, &cmp.Or(u.whole, u).Err, err)
			})
		}
	}
	return group.Wait()
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
