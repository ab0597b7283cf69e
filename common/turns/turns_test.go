package turns

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

func TestLevels(t *testing.T) {
	// cycles makes them of one unit, by subject.
	cycles := func(rows ...[]float64) [][]Figures {
		var all [][]Figures
		for _, row := range rows {
			cycle := make([]Figures, len(row))
			for i, v := range row {
				cycle[i] = Figures{"x": v}
			}
			all = append(all, cycle)
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		cycles [][]Figures
		ratio  float64 // of the second subject to the first
	}{
		{"drift that both share", cycles([]float64{10, 20}, []float64{20, 40}, []float64{5, 10}, []float64{1, 2}), 2},
		{"a slice that is disturbed", cycles([]float64{10, 20}, []float64{20, 40}, []float64{5, 10}, []float64{10, 0.1}, []float64{7, 14}), 2},
		{"counts of which one is zero", cycles([]float64{4, 6}, []float64{0, 5}, []float64{2, 5}), 2.5},
		{"a third one", cycles([]float64{10, 20, 7}, []float64{20, 40, 14}, []float64{5, 10, 3.5}), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Levels(tt.cycles)
			assert.InEpsilon(t, tt.ratio, got[1]["x"]/got[0]["x"], 1e-9)
		})
	}
	assert.InDelta(t, 3, Levels(cycles([]float64{2}, []float64{8}, []float64{3}))[0]["x"], 1e-9, "one subject alone has its median")
	assert.Equal(t, Figures{"y": 1}, Levels([][]Figures{{{"x": 2}, {"y": 1}}})[1], "units apart")
	assert.Nil(t, Levels(nil))
	assert.True(t, math.IsNaN(Median(nil)))
}

// Each subject has one slice in a cycle, in an order that the seed decides; the
// first cycle does not count.
func TestTake(t *testing.T) {
	var renew func() error
	run := func(seed uint64, plan Plan) (order []int, text string) {
		var b strings.Builder
		s := &Session{Plan: plan, Rand: rand.New(rand.NewPCG(seed, 0)), out: benchfmt.NewWriter(&b)}
		var subjects []Subject
		for i := range 3 {
			line := &benchfmt.Result{Name: benchfmt.Name("A" + strconv.Itoa(i))}
			Set(line, "pkg", "p"+strconv.Itoa(i))
			subjects = append(subjects, Subject{Line: line, Slice: func() (Figures, error) {
				order = append(order, i)
				return Figures{"cycle": float64((len(order) + 2) / 3)}, nil
			}})
		}
		require.NoError(t, s.Take(subjects, renew))
		return order, b.String()
	}
	order, text := run(1, Plan{Cycles: 5})
	require.Len(t, order, 18)
	for c := range 6 {
		assert.ElementsMatch(t, []int{0, 1, 2}, order[3*c:3*c+3])
	}
	assert.Equal(t, "pkg: p0\n\nBenchmarkA0 5 4 cycle\n\npkg: p1\n\nBenchmarkA1 5 4 cycle\n\npkg: p2\n\nBenchmarkA2 5 4 cycle\n", text, "the median of cycles 2 to 6")
	same, _ := run(1, Plan{Cycles: 5})
	assert.Equal(t, order, same)
	other, _ := run(2, Plan{Cycles: 5})
	assert.NotEqual(t, order, other)
	short, _ := run(1, Plan{Cycles: 50, Longest: 1})
	assert.Len(t, short, 12, "four cycles, whatever the time")
	whole, text := run(1, Plan{})
	assert.Len(t, whole, 3)
	assert.Contains(t, text, "BenchmarkA2 1 1 cycle\n")

	renewals := 0
	renew = func() error { renewals++; return nil }
	thirds, text := run(1, Plan{Cycles: 6})
	assert.Equal(t, 2, renewals)
	assert.Len(t, thirds, 27, "nine cycles")
	assert.Contains(t, text, "BenchmarkA2 6 5.5 cycle\n", "of which 1, 4 and 7 do not count")

	s := &Session{Plan: Plan{Cycles: 3}, Rand: rand.New(rand.NewPCG(1, 0))}
	assert.EqualError(t, s.Take([]Subject{{Slice: func() (Figures, error) { return nil, errors.New("no") }}}, nil), "no")
}

func TestSlowness(t *testing.T) {
	var cycles [][]Figures
	for i := range 20 {
		cycles = append(cycles, []Figures{{"rays/s": map[bool]float64{true: 5, false: 10}[i < 3]}, {"x": 1}})
	}
	assert.Equal(t, 1., slowness(cycles, 0), "the slowest tenth takes twice as long")
	assert.Zero(t, slowness(cycles, 1))
}

// Processes have turns one after the other. The last byte stays in the pipe.
func TestRing(t *testing.T) {
	rings := make([]ring, 3)
	var ends [3]*os.File
	for i := range rings {
		in, out, err := os.Pipe()
		require.NoError(t, err)
		rings[i].out, ends[i], rings[(i+1)%3].in = out, out, in
	}
	var order []int // who has the byte writes
	var wg sync.WaitGroup
	for i, ring := range rings {
		wg.Go(func() {
			for range 2 {
				assert.NoError(t, ring.turn(func() error { order = append(order, i); return nil }))
			}
		})
	}
	_, err := ends[2].Write([]byte{0})
	require.NoError(t, err)
	wg.Wait()
	assert.Equal(t, []int{0, 1, 2, 0, 1, 2}, order)

	assert.NoError(t, ends[2].Close())
	require.NoError(t, rings[0].turn(func() error { return nil }), "the byte that stayed")
	assert.ErrorContains(t, rings[0].turn(nil), OtherEnded)
}
