package measure

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/estimate"
)

// launch lets the subjects of a unit take turns until a time. A group that fails ends it, or if the
// measurement goes on without it, costs the others what they have of this launch.
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
					return m.exclude(ctx, &u.Err, err)
				}
				started[key] = server
			}
			s.server = started[key]
		}
	}
	cycles := make([][][]map[string]float64, len(u.Groups)) // by group, round and subject
	number := m.Random.Uint64()                             // of the cycle; the next has the next
	for round := range 1 + m.MaxRounds {
		took := false
		for _, i := range m.Random.Perm(len(u.Groups)) {
			g := u.Groups[i]
			order := m.turns(g, len(u.Sides), round)
			values, err := cycle(g.Subjects, order, round == 0, number+uint64(round))
			if err != nil {
				return m.exclude(ctx, &g.Err, err)
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
		g.Lines = append(g.Lines, g.lines(u.Sides, cycles[i], m.OrderCount+1)...)
	}
	return nil
}

// exclude keeps why something fails, if the measurement goes on without it, and else returns that.
func (m *Measurement) exclude(ctx context.Context, failed *error, err error) error {
	if !m.KeepGoing || ctx.Err() != nil {
		return err
	}
	*failed = err
	return nil
}

// turns returns which subjects of a group have a slice in a round, in which order. A slice that
// follows one of another process finds its caches cold: that happens to few, and to all alike.
func (m *Measurement) turns(g *Group, sides, round int) []int {
	order := slices.DeleteFunc(m.Random.Perm(len(g.Subjects)), func(i int) bool {
		few := g.Subjects[i].MaxSlices
		return few > 0 && (round == 0 || round > few)
	})
	side := m.Random.Perm(sides)
	slices.SortStableFunc(order, func(i, j int) int {
		return side[g.Subjects[i].Side] - side[g.Subjects[j].Side]
	})
	return order
}

// cycle takes slices in an order, short ones if they only warm up, and returns their values
// by subject. Those that follow each other in one process are one request. One that was
// disturbed, or lacked processors, is taken again, once.
func cycle(
	subjects []*Subject, order []int, warm bool, number uint64,
) ([]map[string]float64, error) {
	values := make([]map[string]float64, len(subjects))
	for len(order) > 0 {
		request, n, server := Request{Cycle: number}, 0, subjects[order[0]].server
		for ; n < len(order) && subjects[order[n]].server == server; n++ {
			s := subjects[order[n]]
			iterations := s.N
			if warm {
				iterations = max(1, s.N/8)
			}
			request.Slices = append(request.Slices, SliceRequest{s.Name, iterations, s.Work})
		}
		taken, err := server.Ask(request)
		if err != nil {
			return nil, err
		}
		var again []int
		for k, i := range order[:n] {
			// Disturbed is above all the first of a process that slept: a thread of the Go runtime
			// looks after it so often then that it waits for that, unless a core is idle.
			lacks := estimate.ProcessorsTaken(taken[k].Values[Processors], subjects[i].Workers)
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
			if value := config[key]; value != "" {
				line.Config = append(line.Config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
			}
		}
		lines = append(lines, line)
	}
	return lines
}
