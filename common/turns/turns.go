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
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Figures are what a slice says, by unit.
type Figures map[string]float64

// Subject is something that takes slices.
type Subject struct {
	Name  string // in errors
	Slice func() (Figures, error)
}

// longest is how long all cycles of a group take at the most, once there are three
// of them: slices of some milliseconds stay far below.
const longest = 30 * time.Second

// Take gives each subject one slice in each of the cycles and returns what they
// said, by cycle and subject. The order within a cycle is random, and the same for
// the same state of rng.
func Take(subjects []Subject, cycles int, rng *rand.Rand, ring *Ring) ([][]Figures, error) {
	all := make([][]Figures, cycles+1)
	start := time.Now()
	for c := range all {
		if c > 3 && time.Since(start) > longest {
			all = all[:c]
			break
		}
		all[c] = make([]Figures, len(subjects))
		for _, i := range rng.Perm(len(subjects)) {
			err := ring.Turn(func() (err error) {
				all[c][i], err = subjects[i].Slice()
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", subjects[i].Name, err)
			}
		}
	}
	return all[1:], nil
}

// Levels returns one figure a unit for each subject, from the cycles that [Take]
// returns. The ratio of two subjects' figures is, but for rounding, the median over
// the cycles of the ratio of their slices. A unit that has a value of 0 or less
// anywhere has medians in place of that.
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
	units := map[string]bool{}
	for i := range levels {
		levels[i] = Figures{}
		for _, cycle := range cycles {
			for unit := range cycle[i] {
				units[unit] = true
			}
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(units)) {
		for i, level := range unitLevels(cycles, unit) {
			if !math.IsNaN(level) {
				levels[i][unit] = level
			}
		}
	}
	return levels
}

// unitLevels returns the levels in a unit, NaN for a subject that never had it.
func unitLevels(cycles [][]Figures, unit string) []float64 {
	subjects := len(cycles[0])
	values := make([][]float64, subjects) // by subject and cycle; NaN where it is missing
	positive := true
	for i := range values {
		values[i] = make([]float64, len(cycles))
		for c, cycle := range cycles {
			v, ok := cycle[i][unit]
			if !ok {
				v = math.NaN()
			}
			positive = positive && !(v <= 0)
			values[i][c] = v
		}
	}
	levels := make([]float64, subjects)
	var present []int
	middle := 0.0
	for i := range levels {
		levels[i] = Median(values[i])
		if !math.IsNaN(levels[i]) {
			present = append(present, i)
			middle += math.Log(levels[i])
		}
	}
	if !positive || len(present) < 2 {
		return levels
	}
	logs := make([]float64, subjects)
	ratios := make([]float64, len(cycles))
	for n, a := range present {
		for _, b := range present[:n] {
			for c := range ratios {
				ratios[c] = math.Log(values[a][c] / values[b][c])
			}
			d := Median(ratios)
			if math.IsNaN(d) { // in no cycle both
				d = math.Log(levels[a] / levels[b])
			}
			logs[a] += d
			logs[b] -= d
		}
	}
	for _, i := range present {
		levels[i] = math.Exp((middle + logs[i]) / float64(len(present)))
	}
	return levels
}

// Median returns the median of the values that are not NaN, or NaN without any.
func Median(values []float64) float64 {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(sorted) == 0 {
		return math.NaN()
	}
	slices.SortFunc(sorted, cmp.Compare[float64])
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// Ring lets several processes take turns: they pass a byte around, from the
// standard output of one to the standard input of the next, and who has it runs.
// The processes must take the same number of turns, or leave. A nil *Ring is a
// process that is alone.
type Ring struct {
	In  io.Reader
	Out io.WriteCloser
}

// ringEnd is a byte that has been around among processes that have all left.
const ringEnd = 255

// OtherEnded begins the error of a process whose turn does not come any more.
const OtherEnded = "another process of the measurement ended"

// Turn waits for the byte, runs f, and hands the byte on.
func (r *Ring) Turn(f func() error) error {
	if r == nil {
		return f()
	}
	if _, err := io.ReadFull(r.In, make([]byte, 1)); err != nil {
		return fmt.Errorf("%s: %w", OtherEnded, err)
	}
	if err := f(); err != nil {
		return err
	}
	_, err := r.Out.Write([]byte{0})
	return err
}

// Leave hands the byte on until all processes do nothing else.
func (r *Ring) Leave() error {
	if r == nil {
		return nil
	}
	defer r.Out.Close()
	b := make([]byte, 1)
	for {
		if _, err := io.ReadFull(r.In, b); errors.Is(err, io.EOF) || err == nil && b[0] == ringEnd {
			return nil
		} else if err != nil {
			return err
		}
		b[0]++ // a process that still takes turns begins at 0 again
		if _, err := r.Out.Write(b); err != nil {
			return nil // the next one has gone, as all have left
		}
	}
}
