package estimate

import (
	"maps"
	"math"
	"slices"
)

// Figures are what a slice says, by unit.
type Figures map[string]float64

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
func Levels(all [][]Figures) []Figures {
	out := make([]Figures, 0)
	if len(all) == 0 {
		return nil
	}
	var keep []int
	for i := range all[0] {
		full := true
		for _, c := range all {
			if c[i] == nil {
				full = false
			}
		}
		if full {
			keep = append(keep, i)
		}
	}
	var cycles [][]Figures
	for _, c := range all {
		var row []Figures
		for _, i := range keep {
			row = append(row, c[i])
		}
		cycles = append(cycles, row)
	}
	lv := levels(cycles)
	for i := range all[0] {
		if k := slices.Index(keep, i); k >= 0 {
			out = append(out, lv[k])
			continue
		}
		f := Figures{}
		vals := map[string][]float64{}
		for _, c := range all {
			for u, v := range c[i] {
				vals[u] = append(vals[u], v)
			}
		}
		for u, v := range vals {
			f[u] = Median(v)
		}
		out = append(out, f)
	}
	return out
}

func levels(cycles [][]Figures) []Figures {
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

// Slowness returns for each subject with a rate in all cycles by how much the slowest tenth of its slices
// falls behind the median, as a share.
func Slowness(cycles [][]Figures) (all []float64) {
	if len(cycles) == 0 {
		return nil
	}
	for i := range cycles[0] {
		var rates []float64
		for _, cycle := range cycles {
			if rate := cycle[i]["rays/s"]; rate > 0 {
				rates = append(rates, rate)
			}
		}
		slices.Sort(rates)
		if len(rates) >= 10 {
			all = append(all, Median(rates)/rates[len(rates)/10]-1)
		}
	}
	return all
}
