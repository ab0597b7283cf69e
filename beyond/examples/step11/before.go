package step11

// Slow collects the numbers of the requests that took longer than a limit.
func Slow(numbers, durations []int, limit int) []int {
	for i, d := range durations {
		if d > limit {
			numbers = append(numbers, i)
		}
	}
	return numbers
}
