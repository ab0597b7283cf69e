package measure

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// world has programs that do not exist, on a machine whose clock is that of synctest.
type world struct {
	seconds map[string]float64 // of an iteration of a benchmark
	factors []float64          // by side: what its code takes, times that
	place   float64            // by how much link orders scatter
	noise   float64            // by how much slices do
	link    time.Duration
	slice   func(side int, s *Slice) error // what else a slice does; nil for nothing

	random *rand.Rand
	orders [3][]int // that were linked, by side
	log    []turn
	open   int // processes
}

type turn struct {
	side  int
	name  string
	cycle uint64
	n     int
}

// measurement has a group of each benchmark, in which all sides take turns, and a minute.
func (w *world) measurement(names ...string) *Measurement {
	u := &Unit{}
	for side := range w.factors {
		u.Sides = append(u.Sides, &Side{
			Config: map[string]string{"side": fmt.Sprint(side)},
			Link: func(ctx context.Context, order int) error {
				w.orders[side] = append(w.orders[side], order)
				return sleep(ctx, w.link)
			},
			Start: func(ctx context.Context, cpu int) (Server, error) { return w.start(ctx, side), nil },
		})
	}
	for _, name := range names {
		g := &Group{}
		for side := range w.factors {
			n := int(math.Ceil(4e-3 / w.seconds[name]))
			g.Subjects = append(g.Subjects, &Subject{Side: side, Name: name, N: n, CPU: 1})
		}
		u.Groups = append(u.Groups, g)
	}
	end := time.Now().Add(time.Minute)
	return &Measurement{Units: []*Unit{u}, End: end, TargetOrders: 20, MaxRounds: 15, Random: w.random}
}

// simulated is one of its processes.
type simulated struct {
	*world
	ctx  context.Context
	side int
	slow map[string]float64 // by benchmark: what the link order does
}

func (w *world) start(ctx context.Context, side int) Server {
	w.open++
	p := &simulated{w, ctx, side, map[string]float64{}}
	for _, name := range slices.Sorted(maps.Keys(w.seconds)) {
		p.slow[name] = math.Exp(w.place * w.random.NormFloat64())
	}
	return p
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *simulated) Ask(r Request) (all []*Slice, err error) {
	if len(r.Slices) == 0 {
		name := r.Function[len("Benchmark"):]
		return []*Slice{{Name: name, N: 1, Values: map[string]float64{"sec/op": p.seconds[name]}}}, sleep(p.ctx, time.Millisecond)
	}
	for _, run := range r.Slices {
		slow := p.slow[run.Name] * math.Exp(p.noise*p.random.NormFloat64())
		seconds := p.seconds[run.Name] * p.factors[p.side] * slow
		s := &Slice{Name: run.Name, N: run.N, Values: map[string]float64{"sec/op": seconds}}
		p.log = append(p.log, turn{p.side, s.Name, r.Cycle, s.N})
		start := time.Now()
		if p.slice != nil {
			if err := p.slice(p.side, s); err != nil {
				return nil, err
			}
		}
		if err := sleep(p.ctx, time.Duration(float64(s.N)*seconds*1e9)+200*time.Microsecond); err != nil {
			return nil, err
		}
		s.Took = time.Since(start)
		all = append(all, s)
	}
	return all, nil
}

func (p *simulated) Close() error { p.open--; return nil }

// simulate runs a test in a world of some benchmarks and sides.
func simulate(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{
			seconds: map[string]float64{"A": 1e-6, "B": 5e-3, "C": 1e-4},
			factors: []float64{1, 1, 1}, place: 0.05, noise: 0.1, link: time.Second / 2,
			random: rand.New(rand.NewPCG(1, 1)),
		}
		test(t, w)
		assert.Zero(t, w.open, "processes that nobody has ended")
	})
}

// In each cycle each subject has a slice, and all slices have its number. The order is
// another one each time, the slices of a side follow each other, and the first cycle of a
// launch does not count.
func TestTurns(t *testing.T) {
	simulate(t, func(t *testing.T, w *world) {
		m := w.measurement("A", "B", "C")
		g := m.Units[0].Groups
		g[0].Subjects = slices.Concat(g[0].Subjects, g[1].Subjects) // six, and three
		m.Units[0].Groups = []*Group{g[0], g[2]}
		m.MaxOrders, m.MaxRounds = 2, 9
		require.NoError(t, m.Run(t.Context()))
		assert.Len(t, w.log, 2*(1+9)*(6+3))
		cycles, orders, firsts := map[uint64][]turn{}, map[string]bool{}, map[string]bool{}
		for _, turn := range w.log {
			cycles[turn.cycle] = append(cycles[turn.cycle], turn)
		}
		assert.Len(t, cycles, 2*(1+9))
		for _, cycle := range cycles {
			assert.Len(t, cycle, 9)
			order, switches := "", 0
			for i, turn := range cycle {
				order += fmt.Sprint(turn.side, turn.name)
				if i > 0 && turn.side != cycle[i-1].side {
					switches++
				}
			}
			orders[order] = true
			first := slices.IndexFunc(cycle, func(turn turn) bool { return turn.side == 0 && turn.name != "C" })
			firsts[cycle[first].name] = true
			assert.LessOrEqual(t, switches, 2+1+2, "of processes, in two groups")
		}
		assert.Greater(t, len(orders), 15)
		assert.Len(t, firsts, 2, "A or B")
		lines := m.Lines()
		require.Len(t, lines, 2*9)
		assert.Equal(t, 9, lines[0].Iters, "and not the first")
		for i, order := range map[int]string{5: "1", 6: "2", 12: "1", 15: "2"} {
			assert.Equal(t, order, lines[i].GetConfig("link-order"), "a launch after the other in each group")
		}
		assert.Equal(t, []int{0, 1}, w.orders[0])
		assert.Equal(t, []int{0, 1}, w.orders[2])
	})
}

// A slice that was disturbed, or lacked processors, is taken again in its cycle, once, and the
// second counts. Of processors only what has workers says how many it had.
func TestDisturbed(t *testing.T) {
	for name, change := range map[string]func(s *Slice){
		"disturbed": func(s *Slice) { s.Disturbed = true },
		"lacking":   func(s *Slice) { s.Values[Processors] = 1.3 },
	} {
		simulate(t, func(t *testing.T, w *world) {
			m := w.measurement("A", "B")
			m.MaxOrders, m.MaxRounds, m.Units[0].Groups[0].Subjects[1].Workers = 1, 1, 2
			taken := map[string]int{}
			w.slice = func(side int, s *Slice) error {
				key := fmt.Sprint(side, s.Name)
				taken[key]++
				s.Values["apples"], s.Values[Processors] = float64(taken[key]), 1.99
				if key == "1A" {
					change(s)
				}
				return nil
			}
			require.NoError(t, m.Run(t.Context()))
			assert.Equal(t, map[string]int{"0A": 2, "1A": 3, "2A": 2, "0B": 2, "1B": 2, "2B": 2}, taken, "%s: one warms up", name)
			for i, want := range []float64{2, 3, 2} {
				apples, _ := m.Lines()[i].Value("apples")
				assert.InDelta(t, want, apples, 1e-9, name)
				_, said := m.Lines()[i].Value(Processors)
				assert.Equal(t, i == 1, said, name)
			}
		})
	}
}

// Subjects whose slices take long have few, and none while the caches are warmed.
func TestFewSlices(t *testing.T) {
	simulate(t, func(t *testing.T, w *world) {
		m := w.measurement("A", "B")
		m.MaxOrders, m.MaxRounds = 1, 5
		a, b := m.Units[0].Groups[0], m.Units[0].Groups[1]
		a.Subjects[2].MaxSlices = 2
		for _, s := range b.Subjects {
			s.MaxSlices = 1
		}
		require.NoError(t, m.Run(t.Context()))
		taken := map[turn]int{}
		for _, turn := range w.log {
			turn.cycle, turn.n = 0, 0
			taken[turn]++
		}
		assert.Equal(t, map[turn]int{{0, "A", 0, 0}: 6, {1, "A", 0, 0}: 6, {2, "A", 0, 0}: 2, {0, "B", 0, 0}: 1, {1, "B", 0, 0}: 1, {2, "B", 0, 0}: 1}, taken)
		assert.Equal(t, []int{5, 5, 2}, []int{a.Lines[0].Iters, a.Lines[1].Iters, a.Lines[2].Iters})
	})
}

func TestEndsWithTheTime(t *testing.T) {
	for _, limit := range []time.Duration{12 * time.Second, time.Minute, 5 * time.Minute} {
		simulate(t, func(t *testing.T, w *world) {
			m := w.measurement("A", "B", "C")
			start := time.Now()
			m.End = start.Add(limit)
			require.NoError(t, m.Run(t.Context()))
			assert.LessOrEqual(t, time.Since(start), limit+200*time.Millisecond, "no order begins that has no time")
			assert.GreaterOrEqual(t, time.Since(start), limit*8/10)
			if limit >= time.Minute {
				assert.GreaterOrEqual(t, m.OrderCount, 20, "many link orders rather than many rounds")
			}
		})
	}
}

// Time goes to what is not known yet, and ends when all is.
func TestDone(t *testing.T) {
	simulate(t, func(t *testing.T, w *world) {
		m := w.measurement("A", "B")
		a, b := m.Units[0].Groups[0], m.Units[0].Groups[1]
		a.Settled = func() bool { return len(a.Lines) >= 3*5 }
		b.Settled = func() bool { return len(b.Lines) >= 3*7 }
		start := time.Now()
		require.NoError(t, m.Run(t.Context()))
		assert.Less(t, time.Since(start), 40*time.Second)
		assert.Equal(t, []int{3 * 5, 3 * 7}, []int{len(a.Lines), len(b.Lines)})
		assert.Equal(t, 7, m.OrderCount)
	})
}

// What was finished before an error is kept.
func TestInterrupted(t *testing.T) {
	simulate(t, func(t *testing.T, w *world) {
		m := w.measurement("A", "B")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		assert.ErrorIs(t, m.Run(ctx), context.Canceled)
		assert.Positive(t, m.OrderCount)
		assert.Len(t, m.Lines(), 6*m.OrderCount)
	})
}

// A slice has as many iterations as take its time, and more if much is done before them.
func TestBenchmarks(t *testing.T) {
	simulate(t, func(t *testing.T, w *world) {
		w.place, w.noise = 0, 0
		s := w.measurement("A").Units[0].Sides[0]
		for _, tt := range []struct {
			name    string
			prepare time.Duration
			want    int
		}{
			{"A", 0, 4000}, {"C", 0, 40}, {"C", 14 * time.Millisecond, 60}, {"C", time.Second, 123}, {"B", 0, 1},
		} {
			w.slice = func(int, *Slice) error { return sleep(t.Context(), tt.prepare) }
			found, err := s.Benchmarks(t.Context(), "Benchmark"+tt.name, ".", 1, 4*time.Millisecond)
			require.NoError(t, err)
			require.Len(t, found, 1)
			assert.InDelta(t, tt.want, found[0].N, 1.5, "%v", tt)
		}
		w.slice = func(_ int, s *Slice) error {
			return sleep(t.Context(), time.Duration(s.N)*time.Millisecond)
		}
		found, err := s.Benchmarks(t.Context(), "BenchmarkA", ".", 1, 4*time.Millisecond)
		require.NoError(t, err)
		assert.LessOrEqual(t, found[0].N, 400, "what it does apart from its iterations takes a thousand times as long")
		w.seconds["Long"] = 10
		found, err = s.Benchmarks(t.Context(), "BenchmarkLong", ".", 1, 4*time.Millisecond)
		require.NoError(t, err)
		assert.Equal(t, &Slice{Name: "Long", N: 1, Took: 10 * time.Second, Values: map[string]float64{"sec/op": 10}}, found[0], "it is not run again")
	})
}

// If it is wanted, what fails is left out, with its reason, and the others go on.
func TestGoesOn(t *testing.T) {
	simulate(t, func(t *testing.T, w *world) {
		m := w.measurement("A", "B")
		other := w.measurement("C").Units[0]
		other.Sides[1].Link = func(context.Context, int) error { return fmt.Errorf("no such pear") }
		m.Units, m.MaxOrders, m.MaxRounds, m.KeepGoing = append(m.Units, other), 6, 2, true
		w.slice = func(side int, s *Slice) error {
			if s.Name == "A" && len(w.orders[0]) > 3 {
				return fmt.Errorf("no apples")
			}
			return nil
		}
		require.NoError(t, m.Run(t.Context()))
		a, b := m.Units[0].Groups[0], m.Units[0].Groups[1]
		assert.EqualError(t, a.Err, "no apples")
		assert.EqualError(t, other.Err, "no such pear")
		assert.NoError(t, b.Err)
		assert.Len(t, a.Lines, 3*2, "until then")
		assert.Len(t, b.Lines, 3*5, "but for what it had of that launch")
		assert.Empty(t, other.Groups[0].Lines)

		m = w.measurement("A")
		assert.EqualError(t, m.Run(t.Context()), "no apples", "else it ends all")
	})
}
