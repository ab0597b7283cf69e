package estimate

import (
	"cmp"
	"math"

	"github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/floats"
)

// SignOrders is how many link orders tell how they scatter. They often put a program at one of two
// levels, and if all of a few happen to be at one, nothing seems to scatter. So of fewer, a difference
// that levels can make is believed no more than the signs of the ratios allow, whatever these scatter
// by: that eight of eight are above 1, or below it, is chance in 1 of 128.
const SignOrders = 12

// levels is by what factor two levels of one program differ at the most; 1.35 was seen.
const levels = 1.5

// chance returns how likely an estimate of 1 is so far from it.
func (e Estimate) chance() float64 {
	off := math.Abs(math.Log(e.Hi*e.Lo) / 2)
	if e.exact() {
		return e.beyond(off)
	}
	return max(e.beyond(off), min(e.least, e.beyond(off-math.Log(levels))))
}

// beyond returns how likely an estimate is so far from a quantity, by its interval.
func (e Estimate) beyond(off float64) float64 {
	half := math.Log(e.Hi/e.Lo) / 2
	switch {
	case math.IsInf(e.Hi, 1) || off <= 0:
		return 1
	case half == 0:
		return 0
	}
	freedom := cmp.Or(e.freedom, float64(max(1, e.Orders-1)))
	return 2 * stats.TDist{V: freedom}.CDF(-off/half*student(freedom))
}

// bySigns returns how likely the sum of few logarithms, one a launch, is if each could as well have
// the other sign. Of many it is 0.
func bySigns(logs []float64) float64 {
	if len(logs) >= SignOrders {
		return 0
	}
	sum, as, all := math.Abs(floats.Sum(logs)), 0, 1<<len(logs)
	for signs := range all {
		other := 0.
		for i, log := range logs {
			if signs>>i&1 == 0 {
				log = -log
			}
			other += log
		}
		if math.Abs(other) >= sum*(1-1e-9) {
			as++
		}
	}
	return float64(as) / float64(all)
}
