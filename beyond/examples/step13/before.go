package step13

import (
	"sync"

	"raysteps/beyond/examples/accesslog"
)

// SumBytes adds up the bytes of all requests, on so many goroutines.
func SumBytes(entries []accesslog.Entry, workers int) (total int64) {
	sums := make([]int64, workers) // one for each goroutine
	var wg sync.WaitGroup
	for w := range workers {
		part := entries[w*len(entries)/workers : (w+1)*len(entries)/workers]
		wg.Go(func() {
			for i := range part {
				sums[w] += part[i].Bytes
			}
		})
	}
	wg.Wait()
	for _, sum := range sums {
		total += sum
	}
	return total
}
