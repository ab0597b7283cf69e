package estimate

import (
	"math"
	"slices"
)

// Levels returns a level for each variant of a launch, from the natural
// logarithms of the times (or the rates) of its slices: logs[cycle][variant],
// NaN where a slice is missing. The difference of two levels is the logarithm
// of the ratio of the two variants, without the drift of the machine that they
// share. The mean of all levels is that of the variants' median slices.
//
// A variant without slices has the level NaN, and so have two variants that
// have slices but in no cycle both: nothing compares them.
//
// The ratio of two variants is measured by the median of the differences of
// their slices within a cycle: what slows the whole cycle cancels, and a burst
// that hits a few slices does not move a median. With more variants those
// medians do not quite add up (from a to b and b to c need not give a to c), so
// the level of a variant is its mean difference from all variants. That is
// Doksum's estimate of contrasts (Robust procedures for some linear models with
// one observation per cell, Annals of Mathematical Statistics 38, 1967).
//
// Rejected: median polish (Tukey, Exploratory Data Analysis, 1977), which takes
// medians of cycles and of variants off in turn. It is stuck at its first step
// with three variants, because the median of a cycle then is one of its slices,
// and takes a hundred rounds with fourteen. In simulation its ratios scattered
// up to twice as much, and at best a tenth less.
func Levels(logs [][]float64) []float64 {
	variants := 0
	for _, cycle := range logs {
		variants = max(variants, len(cycle))
	}
	levels := make([]float64, variants)
	values := make([]float64, 0, len(logs))

	var present []int // the variants with slices
	middle := 0.0     // the mean of their medians
	for v := range variants {
		values = values[:0]
		for _, cycle := range logs {
			if v < len(cycle) && !math.IsNaN(cycle[v]) {
				values = append(values, cycle[v])
			}
		}
		if len(values) == 0 {
			levels[v] = math.NaN()
			continue
		}
		present = append(present, v)
		middle += median(values)
	}
	n := float64(len(present))

	for i, a := range present {
		levels[a] += middle / n
		for _, b := range present[:i] {
			values = values[:0]
			for _, cycle := range logs {
				if max(a, b) < len(cycle) {
					if d := cycle[a] - cycle[b]; !math.IsNaN(d) {
						values = append(values, d)
					}
				}
			}
			difference := median(values) / n
			levels[a] += difference
			levels[b] -= difference
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
