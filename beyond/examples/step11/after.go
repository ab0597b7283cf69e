package step11

// SlowWithoutJump collects the numbers of the requests that took longer than a limit. It writes
// each, and the next overwrites it unless it counts.
func SlowWithoutJump(numbers, durations []int, limit int) []int {
	n := len(numbers)
	numbers = append(numbers, durations...) // room for all
	for i, d := range durations {
		numbers[n] = i
		if d > limit {
			n++
		}
	}
	return numbers[:n]
}
