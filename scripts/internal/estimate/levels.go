package estimate

import (
	"math"
	"slices"
)

// Figures are what a slice says of a subject, by unit.
type Figures map[string]float64

// Levels returns one figure a unit for each subject of a launch: cycles[c][i] is what
// the slice of subject i in cycle c said, or nil if it had none. All cycles have the
// same subjects; a last one that was interrupted must not be among them.
//
// Subjects with a figure above 0 in every cycle are compared within cycles, by medians:
// drift cancels, and a burst of somebody else's work that hits a few slices does not
// count. The ratio of two such figures is, but for rounding, the median of the ratios of
// the slices. All others have the median of their own.
//
// With more than two subjects those medians do not quite add up (from a to b and from b
// to c need not give a to c), so the logarithm of a figure is the mean of the medians
// against all subjects: Doksum's estimate of contrasts (Robust procedures for some linear
// models with one observation per cell, Annals of Mathematical Statistics 38, 1967).
// Median polish is the other way known; in simulation its ratios scattered up to twice
// as much.
func Levels(cycles [][]Figures) []Figures {
	if len(cycles) == 0 {
		return nil
	}
	levels := make([]Figures, len(cycles[0]))
	type column struct {
		subject int
		logs    []float64 // by cycle
	}
	compared := map[string][]column{}
	for i := range levels {
		values := map[string][]float64{}
		for _, cycle := range cycles {
			for unit, v := range cycle[i] {
				values[unit] = append(values[unit], v)
			}
		}
		levels[i] = Figures{}
		for unit, all := range values {
			levels[i][unit] = Median(all)
			if len(all) == len(cycles) && slices.Min(all) > 0 {
				for c, v := range all {
					all[c] = math.Log(v)
				}
				compared[unit] = append(compared[unit], column{i, all})
			}
		}
	}
	differences := make([]float64, len(cycles))
	for unit, columns := range compared {
		n, mean := float64(len(columns)), 0.
		contrasts := make([]float64, len(columns)) // against the mean
		for a, of := range columns {
			mean += math.Log(levels[of.subject][unit]) / n
			for b, over := range columns[:a] {
				for c := range differences {
					differences[c] = of.logs[c] - over.logs[c]
				}
				median := Median(differences)
				contrasts[a] += median / n
				contrasts[b] -= median / n
			}
		}
		for a, of := range columns {
			levels[of.subject][unit] = math.Exp(mean + contrasts[a])
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
