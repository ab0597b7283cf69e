package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Link orders of many kinds: the interval holds the true ratio, and is narrower than that of the
// means where orders make two groups or a few are far off.
func TestBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name     string
		place    func() float64
		machine  float64 // what a launch has in common
		narrower float64 // by what factor than that of Ratio, at least
	}{
		{"normal", func() float64 { return 0.02 * rng.NormFloat64() }, 0, 0.9},
		{"a machine that drifts", func() float64 { return 0.02 * rng.NormFloat64() }, 0.2, 0.8},
		{"two groups", func() float64 { return 0.05*float64(rng.IntN(4)/3) + 0.01*rng.NormFloat64() }, 0.01, 1},
		{"some far off", func() float64 { return 0.02 * rng.NormFloat64() / (0.1 + rng.Float64()) }, 0.01, 1.2},
		{"skewed", func() float64 { return 0.02 * rng.ExpFloat64() }, 0.01, 1},
	} {
		for _, orders := range []int{4, 12, 40} {
			const runs = 800
			covered, width, mean := 0., 0., 0.
			for range runs {
				var old, now []float64
				for range orders {
					common := tt.machine * rng.NormFloat64()
					old = append(old, math.Exp(common+tt.place()))
					now = append(now, math.Exp(common+tt.place())*1.1)
				}
				e, r := Between(now, old), Ratio(launches(now...), launches(old...))
				if !e.Excludes(1.1) {
					covered++
				}
				width, mean = width+math.Log(e.Hi/e.Lo), mean+math.Log(r.Hi/r.Lo)
				inverse := Between(old, now)
				assert.InDelta(t, 1, e.Center*inverse.Center, 1e-9)
				assert.InDelta(t, 1, e.Lo*inverse.Hi, 1e-9)
			}
			t.Logf("%s, %d orders: %.1f %% covered, %.2f times narrower", tt.name, orders, covered/runs*100, mean/width)
			assert.InDelta(t, 0.95, covered/runs, 0.03, "%s, %d orders", tt.name, orders)
			if orders == 40 {
				assert.Greater(t, mean/width, tt.narrower, tt.name)
			}
		}
	}
	assert.Equal(t, math.Inf(1), Between(nil, nil).Hi)
	assert.Equal(t, math.Inf(1), Between([]float64{2, 3}, []float64{1, 1}).Hi, "too few")
	assert.InDelta(t, 3, Between([]float64{3, 3}, []float64{1, 1}).Hi, 1e-9, "which agree")
	assert.Equal(t, 1, Between([]float64{3, 0, 3}, []float64{1, 1, 0}).Orders, "in which both are numbers above 0")
}
