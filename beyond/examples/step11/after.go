package step11

// SlowWithoutJump collects the numbers of the requests that took longer than a limit. It writes
// each, and the next overwrites it unless it counts.
func SlowWithoutJump(numbers, durations []int, limit int) []int {
	numbers = append(numbers[:0], durations...) // room for all
	n := 0
	for i, d := range durations {
		numbers[n] = i
		if d > limit {
			n++
		}
	}
	return numbers[:n]
}
