package estimate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLevels(t *testing.T) {
	// cycles makes them of one unit, by subject; 0 is no slice.
	cycles := func(rows ...[]float64) [][]map[string]float64 {
		var all [][]map[string]float64
		for _, row := range rows {
			cycle := make([]map[string]float64, len(row))
			for i, v := range row {
				if v != 0 {
					cycle[i] = map[string]float64{"x": v}
				}
			}
			all = append(all, cycle)
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		cycles [][]map[string]float64
		ratio  float64 // of the second subject to the first
	}{
		{"drift that both share", cycles([]float64{10, 20}, []float64{20, 40}, []float64{5, 10}, []float64{1, 2}), 2},
		{"a slice that is disturbed", cycles([]float64{10, 20}, []float64{20, 40}, []float64{5, 10}, []float64{10, 0.1}, []float64{7, 14}), 2},
		{"a number below 0", cycles([]float64{4, 6}, []float64{-1, 5}, []float64{2, 5}), 2.5},
		{"a third one", cycles([]float64{10, 20, 7}, []float64{20, 40, 14}, []float64{5, 10, 3.5}), 2},
		{"a third one with a slice now and then", cycles([]float64{10, 20, 0}, []float64{20, 40, 900}, []float64{5, 10, 0}, []float64{8, 16, 1}), 2},
		{"a cycle that only one has", cycles([]float64{10, 20}, []float64{10, 0}, []float64{50, 30}), 2.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Levels(tt.cycles)
			assert.InEpsilon(t, tt.ratio, got[1]["x"]/got[0]["x"], 1e-9)
		})
	}
	assert.Equal(t, map[string]float64{"x": 3}, Levels(cycles([]float64{2, 0}, []float64{8, 4}, []float64{3, 2}))[1], "the median of its own slices")
	assert.Equal(t, []map[string]float64{{"x": 2}, {"y": 1}, {}}, Levels([][]map[string]float64{{{"x": 2}, {"y": 1}, nil}}), "units apart, and no slice at all")
	assert.Nil(t, Levels[map[string]float64](nil))
	assert.True(t, math.IsNaN(Median(nil)))
	assert.Equal(t, 3.5, center([]float64{9, 1, 2}), "of 1, 1.5, 2, 5, 5.5 and 9")
	assert.Equal(t, 2.5, Median([]float64{9, 3, 1, 2}))
}
