package main

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

// subject is one thing that is measured: a step in a scene, or a variant of an
// experiment.
type subject struct {
	pkg    string            // import path that the file shows
	name   string            // benchmark, without Benchmark: "Render/scene=large"
	config map[string]string // lines of the file for this subject alone
	slot   slot              // where a launcher measures it
}

// group is what takes turns: the steps in a scene, or the variants of an
// experiment.
type group struct {
	title    string
	subjects []subject
	time     time.Duration // of a launch that it takes
	cycles   int           // that it takes at the least
}

// values are what a slice says, by unit.
type values map[string]float64

// source starts launches.
type source interface {
	// launch starts fresh processes of one link order.
	launch(ctx context.Context, order int) (session, error)
}

// session is a launch. Groups are opened in turn, and the subjects of the one
// that was opened last take slices.
type session interface {
	open(g *group) error
	slice(i int) (values, error)
	close()
}

// schedule says how often things are measured.
type schedule struct {
	orders   int // binaries, each linked with its functions in an order of its own
	launches int // of each
}

// record is what a launch says of a subject.
type record struct {
	subject
	order, launch int // counted from 1
	slices        int
	values        values
}

// measure runs all launches, those of all link orders in random order, so that
// no order has a part of the time to itself. After each it hands the records to
// keep. It returns how many launches were kept.
func measure(ctx context.Context, env *cli.Env, src source, groups []group, s schedule, keep func([]record) error, describe func() string) (int, error) {
	var orders []int
	for range s.launches {
		// All orders once, then all again: the first and the last hour have the
		// same ones.
		orders = append(orders, rand.Perm(s.orders)...)
	}
	bar := env.Progress(int64(len(orders)), "measuring")
	defer bar.Finish()
	for n, order := range orders {
		bar.Describe("measuring" + describe())
		records, err := launch(ctx, src, groups, order)
		if err != nil {
			return n, err
		}
		for i := range records {
			records[i].launch = n + 1
		}
		if err := keep(records); err != nil {
			return n, err
		}
		bar.Add(1)
	}
	return len(orders), nil
}

// launch runs one launch: all groups, in random order.
func launch(ctx context.Context, src source, groups []group, order int) ([]record, error) {
	s, err := src.launch(ctx, order)
	if err != nil {
		return nil, err
	}
	defer s.close()
	measured := make([][]record, len(groups))
	for _, g := range rand.Perm(len(groups)) {
		if measured[g], err = turns(ctx, s, &groups[g]); err != nil {
			return nil, err
		}
		for i := range measured[g] {
			measured[g][i].order = order + 1
		}
	}
	return slices.Concat(measured...), nil
}

// turns lets the subjects of a group take slices in turns for the time of the
// group. Each cycle has another random order, and the next cycle the same order
// backward: so each subject has its mean place in the middle.
func turns(ctx context.Context, s session, g *group) ([]record, error) {
	if err := s.open(g); err != nil {
		return nil, fmt.Errorf("%s: %w", g.title, err)
	}
	var cycles [][]values
	var order []int
	start := time.Now()
	for len(cycles) < max(1, g.cycles) || time.Since(start) < g.time {
		if len(cycles)%2 == 0 {
			order = rand.Perm(len(g.subjects))
		} else {
			slices.Reverse(order)
		}
		cycle := make([]values, len(g.subjects))
		for _, i := range order {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var err error
			if cycle[i], err = s.slice(i); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", g.subjects[i].pkg, g.subjects[i].name, err)
			}
		}
		cycles = append(cycles, cycle)
	}
	return summarize(g, cycles), nil
}

// summarize makes one record of all slices of a subject. What all slices say in
// positive numbers becomes the level of the subject, so that the ratio of two
// records is what their slices say within the cycles; else it is the median.
func summarize(g *group, cycles [][]values) []record {
	records := make([]record, len(g.subjects))
	units := map[string]bool{}
	for i := range records {
		records[i] = record{subject: g.subjects[i], slices: len(cycles), values: values{}}
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
					records[i].values[unit] = math.Exp(level)
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
				records[i].values[unit] = median(all)
			}
		}
	}
	return records
}

func median(values []float64) float64 {
	slices.SortFunc(values, cmp.Compare[float64])
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
