package ab

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/turns"
	"raysteps/common/turns/benchturns"
	"raysteps/scripts/internal/launch"
)

// world is a package that does not exist, on a machine whose clock is that of synctest.
type world struct {
	seconds map[string][2]float64 // of an iteration of a benchmark, old and new
	place   float64               // by how much link orders scatter
	noise   float64               // by how much slices do
	link    time.Duration
	take    func(p *process, name string) error // what else a slice does; nil for nothing
	started int
	order   int // that is linked
	shift   int // of the numbers of orders
}

func (w *world) measurement(names ...string) *Measurement {
	m := &Measurement{Bench: ".", Within: 0.01}
	for _, name := range names {
		m.Functions = append(m.Functions, Function{Name: "Benchmark" + name}, Function{Name: "Benchmark" + name})
	}
	m.Link = func(ctx context.Context, order int) error {
		w.order = order + w.shift
		return sleep(ctx, w.link)
	}
	m.Start = func(ctx context.Context, side int) (launch.Server, error) {
		w.started++
		random := rand.New(rand.NewPCG(uint64(side), uint64(w.order)))
		p := &process{world: w, ctx: ctx, version: side % Again, slow: map[string]float64{}}
		for _, name := range names {
			p.slow[name] = math.Exp(w.place * random.NormFloat64())
		}
		return p, nil
	}
	return m
}

// process is one of its processes.
type process struct {
	*world
	ctx     context.Context
	version int
	slow    map[string]float64 // by benchmark: what the link order does
	group   benchturns.Group
	slices  int
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *process) Load(group any) (subjects []turns.Subject, err error) {
	p.group = group.(benchturns.Group)
	if len(p.group.Known) == 0 {
		name := p.group.Function[len("Benchmark"):]
		if p.seconds[name][p.version] == 0 {
			return nil, nil
		}
		p.group.Known = []benchturns.Known{{Name: name}}
	}
	for _, k := range p.group.Known {
		subjects = append(subjects, turns.Subject{Name: k.Name})
	}
	return subjects, sleep(p.ctx, time.Millisecond)
}

func (p *process) Take(r turns.Request) (slices []turns.Values, err error) {
	for _, i := range r.Subjects {
		k := p.group.Known[i]
		p.slices++
		if p.take != nil {
			if err := p.take(p, k.Name); err != nil {
				return nil, err
			}
		}
		seconds := p.seconds[k.Name][p.version] * p.slow[k.Name] * math.Exp(p.noise*rand.NormFloat64())
		n := float64(k.N)
		if n == 0 {
			n = math.Ceil(float64(r.Nanoseconds) / 1e9 / seconds)
		}
		slices = append(slices, turns.Values{"sec/op": seconds, benchturns.Iterations: n})
		if err := sleep(p.ctx, time.Duration(n*seconds*1e9)+200*time.Microsecond); err != nil {
			return nil, err
		}
	}
	return slices, nil
}

func (p *process) Close() error { return nil }

// run runs a measurement for a minute, or less.
func run(t *testing.T, m *Measurement) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	start := time.Now()
	err = m.Run(ctx)
	return time.Since(start), err
}

func TestEndsWithTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{seconds: map[string][2]float64{"A": {1e-6, 1e-6}, "B": {5e-3, 5e-3}, "C": {1e-4, 1e-4}}, place: 0.05, noise: 0.1, link: 500 * time.Millisecond}
		m := w.measurement("A", "B", "C")
		took, err := run(t, m)
		require.NoError(t, err)
		assert.InDelta(t, 60, took.Seconds(), 0.1)
		for _, row := range m.Rows {
			assert.Greater(t, len(row.Levels), 15, "many link orders rather than many rounds: %s", row.Name)
		}
	})
}

func TestEndsWhenAllIsNarrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{seconds: map[string][2]float64{"A": {1e-6, 1e-6}, "B": {1e-3, 0.8e-3}}, place: 0.001, noise: 0.01, link: time.Second}
		m := w.measurement("A", "B")
		took, err := run(t, m)
		require.NoError(t, err)
		assert.Less(t, took, 40*time.Second)
		ratio, noise := m.Rows[1].Ratio("sec/op")
		assert.InDelta(t, 0.8, ratio.Center, 0.01)
		assert.InDelta(t, 1, noise.Center, 0.01)
		assert.Equal(t, enoughOrders, ratio.Orders)
	})
}

// Time goes to what is not known yet.
func TestNarrowRowsAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{seconds: map[string][2]float64{"Quiet": {1e-6, 1e-6}, "Wild": {1e-6, 1e-6}}, noise: 0.001, link: 100 * time.Millisecond}
		w.take = func(p *process, name string) error {
			if name == "Wild" {
				p.slow[name] = math.Exp(0.5 * rand.NormFloat64())
			}
			return nil
		}
		m := w.measurement("Quiet", "Wild")
		_, err := run(t, m)
		require.NoError(t, err)
		assert.Len(t, m.Rows[0].Levels, enoughOrders)
		assert.Greater(t, len(m.Rows[1].Levels), 2*enoughOrders)
	})
}

// The intervals of equal programs hold 1 as often as they promise.
func TestCoverage(t *testing.T) {
	held, all := 0, 0
	for range 60 {
		synctest.Test(t, func(t *testing.T) {
			w := &world{seconds: map[string][2]float64{}, place: 0.02, noise: 0.05, link: time.Second}
			names := []string{"A", "B", "C", "D", "E", "F", "G", "H"}
			for _, name := range names {
				w.seconds[name] = [2]float64{1e-4, 1e-4}
			}
			m := w.measurement(names...)
			w.shift = rand.IntN(1 << 30)
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
			defer cancel()
			require.NoError(t, m.Run(ctx))
			for _, row := range m.Rows {
				ratio, noise := row.Ratio("sec/op")
				for _, excludes := range []bool{ratio.Excludes(1), noise.Excludes(1)} {
					all++
					if !excludes {
						held++
					}
				}
			}
		})
	}
	assert.InDelta(t, 0.95, float64(held)/float64(all), 0.03)
}

func TestFailing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"Good", "Once", "Fails", "Hangs", "Broken", "Added", "Removed"}
		w := &world{seconds: map[string][2]float64{}, link: time.Second, noise: 0.01}
		for _, name := range names {
			w.seconds[name] = [2]float64{1e-4, 1e-4}
		}
		w.seconds["Added"], w.seconds["Removed"] = [2]float64{0, 1e-4}, [2]float64{1e-4, 0}
		w.take = func(p *process, name string) error {
			switch {
			case name == "Once" && p.slices > 1:
				return errors.New("twice")
			case name == "Fails", name == "Broken" && p.version == New:
				return errors.New("no apples")
			case name == "Hangs":
				return sleep(p.ctx, time.Hour)
			}
			return nil
		}
		m := w.measurement(names...)
		took, err := run(t, m)
		require.NoError(t, err)
		assert.LessOrEqual(t, took, time.Minute+time.Second)
		var failures []string
		for _, row := range m.Rows {
			failures = append(failures, row.Name+": "+row.Failure)
		}
		require.Len(t, failures, 7)
		assert.Equal(t, []string{"Good: ", "Once: twice", "Fails: no apples", "Hangs: takes longer than a quarter of the time that is left", "Broken: no apples"}, failures[:5])
		assert.ElementsMatch(t, []string{"Added: only one version has it", "Removed: only one version has it"}, failures[5:])
		assert.NotEmpty(t, m.Rows[0].Levels)
	})
}

func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{seconds: map[string][2]float64{"A": {1e-6, 1e-6}}, place: 0.05, noise: 0.1, link: time.Second}
		m := w.measurement("A")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		time.AfterFunc(10*time.Second, cancel)
		assert.ErrorIs(t, m.Run(ctx), context.Canceled)
		assert.NotEmpty(t, m.Rows[0].Levels, "what is known")
	})
}

func TestUnits(t *testing.T) {
	row := &Row{}
	row.Levels = [][]turns.Values{slices.Repeat([]turns.Values{{"sec/op": 1, "B/op": 2, "allocs/op": 3, "B/s": 4, "apples": 5, benchturns.Iterations: 6}}, Sides)}
	assert.Equal(t, []string{"sec/op", "B/op", "allocs/op", "apples"}, row.Units())
}
