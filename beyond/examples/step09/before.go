package step09

import "math"

// CountOutliers counts the durations that lie more than three standard deviations above the mean.
func CountOutliers(durations []float64, mean, variance float64) (n int) {
	for _, d := range durations {
		if (d-mean)/math.Sqrt(variance) > 3 {
			n++
		}
	}
	return n
}
