package estimate

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Between returns the estimate of one quantity over another whose link orders have nothing in
// common but the time in which they were launched: the median of all ratios of one of the first and
// one of the second (Hodges and Lehmann, 1963). It hardly heeds places that are far off or make two
// groups, where the mean of the ratios in each launch, as of [Ratio], scattered by half more.
//
// The interval is Lehmann's, by the ranks' deviation if in each launch either could be the other.
func Between(dividend, divisor []Launch) Estimate {
	type value struct {
		log    float64
		launch int
		above  bool // the line
	}
	var all []value
	var means, differences []float64
	over := byOrder(divisor)
	for _, l := range byOrder(dividend) {
		if i := slices.IndexFunc(over, func(b Launch) bool { return b.Order == l.Order }); i >= 0 {
			all = append(all, value{l.Log, len(means), true}, value{over[i].Log, len(means), false})
			means, differences = append(means, (l.Log+over[i].Log)/2), append(differences, l.Log-over[i].Log)
		}
	}
	n := len(means)
	if n == 0 {
		return Estimate{Hi: math.Inf(1)}
	}
	// What a launch has in common is the machine's: by how much launches differ beyond their scatter.
	machine := 0.
	if common := stats.Variance(means); common > 0 {
		machine = max(0, 1-stats.Variance(differences)/4/common)
	}
	var ratios []float64
	for i := range all {
		all[i].log -= machine * means[all[i].launch]
	}
	for i := 0; i < len(all); i += 2 {
		for j := 1; j < len(all); j += 2 {
			ratios = append(ratios, all[i].log-all[j].log)
		}
	}
	slices.Sort(ratios)
	center, half := Median(ratios), math.Inf(1)
	for i := 0; i < len(all); i += 2 {
		all[i].log -= center
	}
	slices.SortFunc(all, func(a, b value) int { return cmp.Compare(a.log, b.log) })
	apart := make([]float64, n) // by how many ranks, in a launch
	for rank, v := range all {
		if v.above {
			apart[v.launch] += float64(rank)
		} else {
			apart[v.launch] -= float64(rank)
		}
	}
	if n >= Least || n > 1 && slices.Min(differences) == slices.Max(differences) {
		deviation := math.Sqrt(dot(apart, apart)) / 2
		far := max(0, int(math.Round((float64(len(ratios))-1)/2-deviation)))
		half = (ratios[len(ratios)-1-far] - ratios[far]) / 2 * stats.InvCDF(stats.TDist{V: float64(n - 1)})((1+Confidence)/2)
	}
	return Estimate{Center: math.Exp(center), Lo: math.Exp(center - half), Hi: math.Exp(center + half), Orders: n}
}
