package step09

import "math"

// CountOutliersAbove counts the durations that lie more than three standard deviations above the
// mean. It asks the same of each with one comparison; a duration within the rounding of the
// limit may be counted by one function and not by the other.
func CountOutliersAbove(durations []float64, mean, variance float64) (n int) {
	limit := mean + 3*math.Sqrt(variance)
	for _, d := range durations {
		if d > limit {
			n++
		}
	}
	return n
}
