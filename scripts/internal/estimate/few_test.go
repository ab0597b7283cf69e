package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Of rows that are equal as many differ by chance as should, also if there are few launches, and link
// orders put programs at two levels.
func TestFewLaunches(t *testing.T) {
	level := func(share, worth, scatter float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 {
			log := scatter * rng.NormFloat64()
			if rng.Float64() < share {
				log += worth
			}
			return log
		}
	}
	for name, order := range map[string]func(*rand.Rand) float64{
		"normal":             level(0, 0, 0.02),
		"two levels":         level(0.5, 0.06, 0.002),
		"two levels, apart":  level(0.5, 0.3, 0.001),
		"a few at the other": level(0.2, 0.1, 0.005),
	} {
		for launches := MinOrders; launches < SignOrders; launches++ {
			t.Run(fmt.Sprint(name, launches), func(t *testing.T) {
				t.Parallel()
				const runs = 3000
				rng, differ := rand.New(rand.NewPCG(7, uint64(launches))), [3][2]float64{}
				limits := [2]float64{0.05 / 12, 0.05}
				for range runs {
					var old, now []float64
					var both []Launch
					for i := range launches {
						machine := 0.03 * rng.NormFloat64()
						a, b := order(rng), order(rng)
						old, now = append(old, math.Exp(machine+a)), append(now, math.Exp(machine+b))
						both = append(both, Launch{Order: i, Log: b - a})
					}
					for i, chance := range []float64{MedianRatio(now, old).chance(), Mean(both).chance()} {
						for k, limit := range limits {
							if chance <= limit {
								differ[i][k]++
							}
						}
					}
				}
				for i, kind := range []string{"of all pairs", "of each launch"} {
					for k, limit := range limits {
						share := differ[i][k] / runs
						t.Logf("%s: %.2f %% at %.2f %%", kind, 100*share, 100*limit)
						assert.LessOrEqual(t, share, limit+2.5*math.Sqrt(limit/runs), "%s, at %g", kind, limit)
					}
				}
			})
		}
	}
}

// What is far beyond two levels takes no more launches, and counts that agree none.
func TestFewLaunchesDecide(t *testing.T) {
	old, scatter := []float64{1, 1.02, 0.99, 1.01}, []float64{1.01, 1, 0.98, 1.02}
	times := func(by float64) (now []float64) {
		for _, v := range scatter {
			now = append(now, by*v)
		}
		return now
	}
	assert.True(t, MedianRatio(times(3), old).Significant(20))
	assert.False(t, MedianRatio(times(1.3), old).Significant(1), "1 of 8")
	assert.True(t, MedianRatio([]float64{9, 9}, []float64{8, 8}).Significant(100), "a count")
	assert.Equal(t, 1., MedianRatio([]float64{1, 2, 1, 2}, []float64{2, 1, 2, 1}).chance())
}
