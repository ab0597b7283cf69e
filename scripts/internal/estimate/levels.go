package estimate

import (
	"math"
	"slices"
)

// Levels returns a level for each variant of a launch, from the natural
// logarithms of the times (or rates) of its slices: slices[cycle][variant], NaN
// where a slice is missing. The difference of two levels is the logarithm of
// the ratio of the two variants without the drift of the machine that they
// share; a level by itself belongs to a cycle in the middle of the launch. A
// variant without a slice has the level NaN.
//
// This is median polish (Tukey 1977): a logarithm is the sum of a level of the
// variant, an effect of the cycle and a rest, and both are medians, so a burst
// that hits a few slices moves neither. With two variants the difference of the
// levels is the median of the paired differences. The columns are polished
// first: then a variant that is faster by a constant factor changes its own
// level by just that, and no other. A cycle in which fewer than two variants
// have a slice compares nothing and is left out.
var maxRounds = 10
var used int
func Levels(logs [][]float64) []float64 {
	var rests [][]float64 // of the cycles that compare something
	variants := 0
	for _, cycle := range logs {
		variants = max(variants, len(cycle))
	}
	for _, cycle := range logs {
		present := 0
		for _, log := range cycle {
			if !math.IsNaN(log) {
				present++
			}
		}
		if present >= min(2, variants) {
			rests = append(rests, slices.Clone(cycle))
		}
	}

	levels := make([]float64, variants)
	drift := make([]float64, len(rests))
	values := make([]float64, 0, max(variants, len(rests)))
	const (
		settled = 1e-9
	)
	used = 0
	for range maxRounds {
		used++
		moved := 0.0
		for variant := range levels {
			values = values[:0]
			for _, cycle := range rests {
				if variant < len(cycle) && !math.IsNaN(cycle[variant]) {
					values = append(values, cycle[variant])
				}
			}
			effect := median(values)
			levels[variant] += effect
			for _, cycle := range rests {
				if variant < len(cycle) {
					cycle[variant] -= effect
				}
			}
			if len(values) > 0 {
				moved = max(moved, math.Abs(effect))
			}
		}
		for i, cycle := range rests {
			values = values[:0]
			for _, rest := range cycle {
				if !math.IsNaN(rest) {
					values = append(values, rest)
				}
			}
			effect := median(values)
			drift[i] += effect
			for variant := range cycle {
				cycle[variant] -= effect
			}
			moved = max(moved, math.Abs(effect))
		}
		if moved < settled {
			break
		}
	}
	if len(drift) > 0 {
		middle := median(drift)
		for variant := range levels {
			levels[variant] += middle
		}
	}
	return levels
}

// median sorts the values and returns the one in the middle, or the mean of
// the two there; NaN if there is none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return values[n/2-1] + (values[n/2]-values[n/2-1])/2
}
