// Package launch measures variants, such as steps, by launches: it links them
// into one program in many link orders, starts that afresh many times, and lets
// them take turns in slices of milliseconds. [raysteps/scripts/internal/estimate]
// makes figures of what the launches say.
package launch

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
)

// Subject is one thing that is measured: a step in a scene, or a variant of an
// experiment.
type Subject struct {
	Package string            // import path that the file shows
	Name    string            // benchmark, without Benchmark: "Render/scene=large"
	Config  map[string]string // lines of the file for this subject alone
	Slot    Slot              // where a launcher measures it
}

// Group is what takes turns: the steps in a scene, or the variants of an
// experiment.
type Group struct {
	Title    string
	Subjects []Subject
	Time     time.Duration // of a launch that it takes
	Cycles   int           // that it takes at the least
}

// Values are what a slice says, by unit.
type Values map[string]float64

// Source starts launches.
type Source interface {
	// Launch starts fresh processes of one link order.
	Launch(ctx context.Context, order int) (Session, error)
}

// Session is a launch. Groups are opened in turn, and the subjects of the one
// that was opened last take slices.
type Session interface {
	Open(g *Group) error
	Slice(i int) (Values, error)
	Close()
}

// Schedule says how often things are measured.
type Schedule struct {
	Orders   int // binaries, each linked with its functions in an order of its own
	Launches int // of each
}

// Record is what a launch says of a subject.
type Record struct {
	Subject
	Order, Launch int // counted from 1
	Slices        int
	Values        Values
}

// Measure runs all launches, those of all link orders in random order, so that
// no order has a part of the time to itself. After each it hands the records to
// keep. It returns how many launches were kept. Progress names what is measured.
func Measure(ctx context.Context, env *cli.Env, src Source, groups []Group, s Schedule, keep func([]Record) error, what string) (int, error) {
	var orders []int
	for range s.Launches {
		// All orders once, then all again: the first and the last hour have the
		// same ones.
		orders = append(orders, rand.Perm(s.Orders)...)
	}
	bar := env.Progress(int64(len(orders)), "measuring "+what)
	defer bar.Finish()
	for n, order := range orders {
		records, err := launch(ctx, src, groups, order)
		if err != nil {
			return n, err
		}
		for i := range records {
			records[i].Launch = n + 1
		}
		if err := keep(records); err != nil {
			return n, err
		}
		bar.Add(1)
	}
	return len(orders), nil
}

// launch runs one launch: all groups, in random order.
func launch(ctx context.Context, src Source, groups []Group, order int) ([]Record, error) {
	s, err := src.Launch(ctx, order)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	measured := make([][]Record, len(groups))
	for _, g := range rand.Perm(len(groups)) {
		if measured[g], err = turns(ctx, s, &groups[g]); err != nil {
			return nil, err
		}
		for i := range measured[g] {
			measured[g][i].Order = order + 1
		}
	}
	return slices.Concat(measured...), nil
}

// turns lets the subjects of a group take slices in turns for the time of the
// group. Each cycle has another random order, and the next cycle the same order
// backward: so each subject has its mean place in the middle.
func turns(ctx context.Context, s Session, g *Group) ([]Record, error) {
	if err := s.Open(g); err != nil {
		return nil, fmt.Errorf("%s: %w", g.Title, err)
	}
	var cycles [][]Values
	var order []int
	start := time.Now()
	for len(cycles) < max(1, g.Cycles) || time.Since(start) < g.Time {
		if len(cycles)%2 == 0 {
			order = rand.Perm(len(g.Subjects))
		} else {
			slices.Reverse(order)
		}
		cycle := make([]Values, len(g.Subjects))
		for _, i := range order {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var err error
			if cycle[i], err = s.Slice(i); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", g.Subjects[i].Package, g.Subjects[i].Name, err)
			}
		}
		cycles = append(cycles, cycle)
	}
	return summarize(g, cycles), nil
}

// summarize makes one record of all slices of a subject. What all slices say in
// positive numbers becomes the level of the subject, so that the ratio of two
// records is what their slices say within the cycles; else it is the median.
func summarize(g *Group, cycles [][]Values) []Record {
	records := make([]Record, len(g.Subjects))
	units := map[string]bool{}
	for i := range records {
		records[i] = Record{Subject: g.Subjects[i], Slices: len(cycles), Values: Values{}}
		for _, cycle := range cycles {
			for unit := range cycle[i] {
				units[unit] = true
			}
		}
	}
	for unit := range units {
		logs := make([][]float64, len(cycles))
		positive := true
		for c, cycle := range cycles {
			logs[c] = make([]float64, len(cycle))
			for i, v := range cycle {
				value, ok := v[unit]
				logs[c][i] = math.Log(value)
				if !ok {
					logs[c][i] = math.NaN()
				} else if !(value > 0) {
					positive = false
				}
			}
		}
		if positive {
			for i, level := range estimate.Levels(logs) {
				if !math.IsNaN(level) {
					records[i].Values[unit] = math.Exp(level)
				}
			}
			continue
		}
		for i := range records {
			var all []float64
			for _, cycle := range cycles {
				if v, ok := cycle[i][unit]; ok {
					all = append(all, v)
				}
			}
			if len(all) > 0 {
				records[i].Values[unit] = median(all)
			}
		}
	}
	return records
}

func median(values []float64) float64 {
	slices.SortFunc(values, cmp.Compare[float64])
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
