package turns

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLevels(t *testing.T) {
	const missing = -1
	// cycles makes them of one unit, by subject.
	cycles := func(rows ...[]float64) [][]Figures {
		var all [][]Figures
		for _, row := range rows {
			cycle := make([]Figures, len(row))
			for i, v := range row {
				cycle[i] = Figures{}
				if v != missing {
					cycle[i]["x"] = v
				}
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
		{"a value that is missing", cycles([]float64{10, 20}, []float64{missing, 4000}, []float64{5, 10}), 2},
		{"in no cycle both", cycles([]float64{10, missing}, []float64{missing, 20}), 2},
		{"counts of which one is zero", cycles([]float64{4, 6}, []float64{0, 5}, []float64{2, 5}), 2.5},
		{"a third one", cycles([]float64{10, 20, 7}, []float64{20, 40, 14}, []float64{5, 10, 3.5}), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Levels(tt.cycles)
			assert.InEpsilon(t, tt.ratio, got[1]["x"]/got[0]["x"], 1e-9)
		})
	}
	assert.InDelta(t, 3, Levels(cycles([]float64{2}, []float64{8}, []float64{3}))[0]["x"], 1e-9, "one subject alone has its median")
	assert.Empty(t, Levels(cycles([]float64{missing, 3}))[0], "what was never said has no level")
	assert.Nil(t, Levels(nil))
	assert.True(t, math.IsNaN(Median(nil)))
}

// Each subject has one slice in a cycle, in an order that the seed decides; the
// first cycle does not count.
func TestTake(t *testing.T) {
	run := func(seed uint64) (order []int, cycles [][]Figures) {
		var subjects []Subject
		for i := range 3 {
			subjects = append(subjects, Subject{Slice: func() (Figures, error) {
				order = append(order, i)
				return Figures{"turn": float64(len(order))}, nil
			}})
		}
		cycles, err := Take(subjects, 5, rand.New(rand.NewPCG(seed, 0)), nil)
		require.NoError(t, err)
		return order, cycles
	}
	order, cycles := run(1)
	require.Len(t, order, 18)
	require.Len(t, cycles, 5)
	for c := range 6 {
		assert.ElementsMatch(t, []int{0, 1, 2}, order[3*c:3*c+3])
	}
	assert.Equal(t, float64(4+indexOf(order[3:6], 2)), cycles[0][2]["turn"], "the cycle after the first")
	same, _ := run(1)
	assert.Equal(t, order, same)
	other, _ := run(2)
	assert.NotEqual(t, order, other)

	broken := []Subject{{Name: "b", Slice: func() (Figures, error) { return nil, errors.New("no") }}}
	_, err := Take(broken, 3, rand.New(rand.NewPCG(1, 0)), nil)
	assert.EqualError(t, err, "b: no")
}

func indexOf(order []int, i int) int {
	for at, v := range order {
		if v == i {
			return at
		}
	}
	return -1
}

// Processes have turns one after the other, and one that leaves early keeps none of
// the others from theirs.
func TestRing(t *testing.T) {
	turns := []int{3, 1, 2}
	rings := make([]*Ring, len(turns))
	var first *os.File
	for i := range rings {
		rings[i] = &Ring{}
	}
	for i := range rings {
		in, out, err := os.Pipe()
		require.NoError(t, err)
		rings[i].Out = out
		rings[(i+1)%len(rings)].In = in
		first = out // of the last one, into the first
	}
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	for i, ring := range rings {
		wg.Go(func() {
			for range turns[i] {
				assert.NoError(t, ring.Turn(func() error {
					assert.True(t, mu.TryLock(), "nobody else has a turn")
					order = append(order, i)
					mu.Unlock()
					return nil
				}))
			}
			assert.NoError(t, ring.Leave())
		})
	}
	_, err := first.Write([]byte{0})
	require.NoError(t, err)
	wg.Wait()
	assert.Equal(t, []int{0, 1, 2, 0, 2, 0}, order)

	in, out, err := os.Pipe()
	require.NoError(t, err)
	out.Close()
	assert.ErrorContains(t, (&Ring{In: in}).Turn(nil), "another process of the measurement ended")
}
