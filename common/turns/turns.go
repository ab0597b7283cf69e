// Package turns lets what is compared take turns in slices of milliseconds inside
// one program, so that what slows the machine for a moment slows all alike. The
// launchers that scripts/bench links and the test binaries that it builds of
// packages with benchmarks have their loop from here.
//
// A cycle gives a slice to each subject, in another random order each time. What
// is compared is compared within cycles, by medians ([Levels]): drift cancels, and
// a burst of somebody else's work that hits a few slices does not count. The first
// cycle warms caches and predictors and is dropped.
package turns

import (
	"maps"
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// Figures are what a slice says, by unit.
type Figures map[string]float64

// Subject is something that takes slices.
type Subject struct {
	Line  *benchfmt.Result // the name and the configuration of the line that is written
	Slice func() (Figures, error)
}

// Levels returns one figure a unit for each subject, from their slices by cycle. The
// ratio of two subjects' figures is, but for rounding, the median over the cycles of
// the ratio of their slices. A unit that is missing or not above 0 anywhere has
// medians in place of that.
//
// With more than two subjects those medians do not quite add up (from a to b and
// from b to c need not give a to c), so the logarithm of a figure is the mean of
// the medians against all subjects: Doksum's estimate of contrasts (Robust
// procedures for some linear models with one observation per cell, Annals of
// Mathematical Statistics 38, 1967). Median polish is the other way known; in
// simulation its ratios scattered up to twice as much.
func Levels(cycles [][]Figures) []Figures {
	if len(cycles) == 0 {
		return nil
	}
	levels := make([]Figures, len(cycles[0]))
	values := map[string]map[int][]float64{} // by unit, subject and cycle
	for i := range levels {
		levels[i] = Figures{}
		for unit := range cycles[0][i] {
			if values[unit] == nil {
				values[unit] = map[int][]float64{}
			}
			for _, cycle := range cycles {
				values[unit][i] = append(values[unit][i], cycle[i][unit])
			}
			levels[i][unit] = Median(values[unit][i])
		}
	}
	ratios := make([]float64, len(cycles))
	for unit, column := range values {
		logs := map[int]float64{}
		for a := range column {
			for b := range column {
				for c := range ratios {
					ratios[c] = math.Log(column[a][c] / column[b][c])
				}
				logs[a] += (Median(ratios) + math.Log(Median(column[b]))) / float64(len(column))
			}
		}
		for i, log := range logs {
			if !slices.ContainsFunc(slices.Collect(maps.Values(column)), func(v []float64) bool { return slices.Min(v) <= 0 }) {
				levels[i][unit] = math.Exp(log)
			}
		}
	}
	return levels
}

// Median returns the median of values, or NaN without any.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return math.NaN()
	}
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// SlowSlices is the unit of what [slowness] returns.
const SlowSlices = "slow-slices"

// slowness returns by how much the slowest tenth of the slices of a subject falls
// behind its median rate, as a share, or 0 if it has no rates.
func slowness(cycles [][]Figures, i int) float64 {
	var rates []float64
	for _, cycle := range cycles {
		rates = append(rates, cycle[i]["rays/s"])
	}
	slices.Sort(rates)
	if len(rates) == 0 || rates[0] <= 0 {
		return 0
	}
	return Median(rates)/rates[len(rates)/10] - 1
}
