package measure_test

import (
	"context"
	"fmt"
	"time"

	"raysteps/scripts/internal/measure"
)

// abacus stands for a process: each iteration of its benchmarks takes as long.
type abacus struct{ seconds float64 }

func (a abacus) Ask(r measure.Request) (all []*measure.Slice, err error) {
	for _, s := range r.Slices {
		all = append(all, &measure.Slice{Name: s.Name, N: s.N, Values: map[string]float64{"sec/op": a.seconds}})
	}
	return all, nil
}

func (a abacus) Close() error { return nil }

// Two programs take turns in four link orders of five rounds.
func ExampleMeasurement_Run() {
	side := func(pkg string, seconds float64) *measure.Side {
		return &measure.Side{
			Package: pkg,
			Link:    func(context.Context, int) error { return nil },
			Start:   func(context.Context, int) (measure.Server, error) { return abacus{seconds}, nil },
		}
	}
	group := &measure.Group{Subjects: []*measure.Subject{
		{Side: 0, Name: "Hit", N: 100, CPU: 1}, {Side: 1, Name: "Hit", N: 100, CPU: 1},
	}}
	m := measure.Measurement{
		Units: []*measure.Unit{{
			Sides: []*measure.Side{side("old", 3e-9), side("new", 2e-9)}, Groups: []*measure.Group{group},
		}},
		End: time.Now().Add(time.Minute), MaxOrders: 4, MaxRounds: 5,
	}
	err := m.Run(context.Background())
	fmt.Println(m.OrderCount, len(m.Lines()), err)
	for _, line := range m.Lines()[:2] {
		seconds, _ := line.Value("sec/op")
		fmt.Printf("%s %s %d %.2g\n", line.GetConfig("pkg"), line.Name, line.Iters, seconds)
	}
	// Output:
	// 4 8 <nil>
	// old Hit 5 3e-09
	// new Hit 5 2e-09
}
