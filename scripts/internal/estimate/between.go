package estimate

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/floats"
)

// Between returns the estimate of one quantity over another, of what launches say of both. Their
// link orders have nothing in common but the time: it is the median of all ratios of one of the first
// and one of the second (Hodges and Lehmann, 1963). It hardly heeds places that are far off or make
// two groups, where the mean of the ratios in each launch, as of [Ratio], scattered by half more.
//
// The interval is Lehmann's, by the ranks' deviation if in each launch either could be the other.
func Between(dividend, divisor []float64) Estimate {
	var above, below, means, differences []float64 // logarithms, by launch
	for i := range min(len(dividend), len(divisor)) {
		a, b := math.Log(dividend[i]), math.Log(divisor[i])
		if !math.IsNaN(a-b) && !math.IsInf(a-b, 0) {
			above, below = append(above, a), append(below, b)
			means, differences = append(means, (a+b)/2), append(differences, a-b)
		}
	}
	n := len(above)
	if n == 0 {
		return Of(nil)
	}
	// What a launch has in common is the machine's: by how much launches differ beyond their scatter.
	common, machine := stats.Variance(means), 0.
	if own := stats.Variance(differences) / 4; own < common {
		machine = 1 - own/common
	}
	floats.AddScaled(above, -machine, means)
	floats.AddScaled(below, -machine, means)
	var ratios []float64
	for _, a := range above {
		for _, b := range below {
			ratios = append(ratios, a-b)
		}
	}
	slices.Sort(ratios)
	center, last := Median(ratios), len(ratios)-1
	floats.AddConst(-center, above)
	all := slices.Sorted(slices.Values(slices.Concat(above, below)))
	apart := 0. // squares of how many ranks lie between the two of a launch
	for i := range above {
		a, _ := slices.BinarySearch(all, above[i])
		b, _ := slices.BinarySearch(all, below[i])
		apart += float64((a - b) * (a - b))
	}
	far := max(0, int(math.Round((float64(last)-math.Sqrt(apart))/2)))
	half := (ratios[last-far] - ratios[far]) / 2 * student(float64(n-1))
	return around(center, half, n, ratios[0] == ratios[last])
}
