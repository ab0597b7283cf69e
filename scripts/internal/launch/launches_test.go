package launch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSummarize(t *testing.T) {
	// two makes cycles of two subjects, in one unit.
	two := func(unit string, pairs ...[2]float64) [][]Values {
		var cycles [][]Values
		for _, p := range pairs {
			cycle := make([]Values, 2)
			for i, v := range p {
				if v >= 0 {
					cycle[i] = Values{unit: v}
				} else {
					cycle[i] = Values{"another": 1} // it says nothing in the unit
				}
			}
			cycles = append(cycles, cycle)
		}
		return cycles
	}
	const missing = -1
	tests := []struct {
		name   string
		cycles [][]Values
		ratio  float64
	}{
		{"drift that both share", two("x", [2]float64{10, 20}, [2]float64{20, 40}, [2]float64{5, 10}, [2]float64{1, 2}), 2},
		{"a slice that is disturbed", two("x", [2]float64{10, 20}, [2]float64{20, 40}, [2]float64{5, 10}, [2]float64{10, 0.1}, [2]float64{7, 14}), 2},
		{"a value that is missing", two("x", [2]float64{10, 20}, [2]float64{missing, 4000}, [2]float64{5, 10}), 2},
		{"a unit that the first cycle lacks", two("x", [2]float64{missing, missing}, [2]float64{3, 6}, [2]float64{5, 10}), 2},
		{"counts of which one is zero", two("x", [2]float64{4, 6}, [2]float64{0, 5}, [2]float64{2, 5}), 2.5},
		{"an even number of counts", two("x", [2]float64{4, 6}, [2]float64{0, 6}), 3},
	}
	g := &Group{Subjects: []Subject{{Name: "A"}, {Name: "B"}}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := summarize(g, tt.cycles)
			require.Len(t, got, 2)
			assert.Equal(t, "B", got[1].Name)
			assert.Equal(t, len(tt.cycles), got[0].Slices)
			assert.InEpsilon(t, tt.ratio, got[1].Values["x"]/got[0].Values["x"], 1e-9)
		})
	}

	zeros := summarize(g, two("x", [2]float64{0, 4}, [2]float64{0, 6}, [2]float64{0, 5}))
	assert.Equal(t, Values{"x": 0}, zeros[0].Values)
	assert.Equal(t, Values{"x": 5}, zeros[1].Values)
	alone := summarize(g, two("x", [2]float64{missing, 3}, [2]float64{missing, 3}))
	assert.NotContains(t, alone[0].Values, "x", "what was never said has no value")
	level := summarize(&Group{Subjects: g.Subjects[:1]}, [][]Values{{{"x": 2}}, {{"x": 8}}, {{"x": 3}}})
	assert.InDelta(t, 3, level[0].Values["x"], 1e-9, "a subject without others has its median")
}
