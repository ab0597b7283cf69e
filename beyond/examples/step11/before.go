package step11

// Sum adds up durations, in seconds.
func Sum(seconds []float64) (sum float64) {
	for _, s := range seconds {
		sum += s
	}
	return sum
}
