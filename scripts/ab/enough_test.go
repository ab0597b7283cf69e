package main

import (
	"math"
	"math/rand/v2"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Rows that have enough give their time to others: their intervals, and those of the others,
// still hold the true ratio.
func TestEnough(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: hundreds of simulated runs")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	c, sum := &comparison{within: 1, over: 5, rows: make([]*row, 10)}, 0.
	for _, truth := range []float64{1, 1.02, 1.08} {
		for _, scatter := range []float64{0.015, 0.03} { // of a link order, beside its place
			const runs = 200
			covered, early, called := 0, 0, 0
			for range runs {
				noise := func() float64 {
					return math.Exp(scatter * (rng.NormFloat64() + rng.Float64() - 0.5))
				}
				var e estimate.Estimate
				var old, now []float64
				for order := range 30 {
					old, now = append(old, noise()), append(now, truth*noise())
					if order%2 == 0 { // a half of the looks at it
						continue
					}
					if e = estimate.MedianRatio(now, old); c.enough(e) {
						early++
						break
					}
				}
				if !e.Excludes(truth) {
					covered++
				}
				if e.Significant(10) {
					called++
				}
			}
			if truth == 1 {
				assert.LessOrEqual(t, called, 3, "of 200, where nothing changed")
			}
			t.Logf("%g, scatter %g: %.1f %% covered, %.0f %% early", truth, scatter, float64(covered)/runs*100, float64(early)/runs*100)
			assert.InDelta(t, 0.95, float64(covered)/runs, 0.03+0.0154, "and a standard error")
			sum += float64(covered) / runs
		}
	}
	assert.InDelta(t, 0.95, sum/6, 0.01, "a standard error, and some")
}

// A slice of the slow version does not take a second if the fast one has a thousand iterations.
func TestIterations(t *testing.T) {
	c := &comparison{}
	both := [2]*measure.Slice{{N: 1000, Took: 1}, {N: 2, Took: 3}}
	c.addRow(t.Context(), &pkg{unit: &measure.Unit{}}, 1, both, 4)
	assert.Equal(t, 2, c.rows[0].n)
}

// The time that narrow intervals take is said from what the first link orders scatter by.
func TestNeeds(t *testing.T) {
	for _, tt := range []struct {
		scatter, ratio, within float64
		want                   string
	}{
		{0.0001, 1, 1, ""}, {0.1, 166, 1, ""}, {0.05, 1, 1, "±1 %, or a clear difference, in nine of ten rows takes about -time 2m20s"}, {0.05, 1, 5, ""}, {0.5, 1, 1, "±1 %, or a clear difference, in nine of ten rows takes hours of -time"},
	} {
		var orders [][]float64
		for i := range 8 {
			orders = append(orders, []float64{1e-6, 1e-6 * tt.ratio * math.Exp(tt.scatter*scores[i])})
		}
		c := made(orders)
		c.within, c.limit, c.started = tt.within, 20*time.Second, time.Now().Add(-8*time.Second)
		c.m.OrderCount = 8
		assert.Equal(t, tt.want, c.needs())
	}
}
