package step13

import (
	"sync"

	"raysteps/beyond/examples/accesslog"
)

// SumBytesApart adds up the bytes of all requests, on so many goroutines, each of which writes to
// what they share only once.
func SumBytesApart(entries []accesslog.Entry, workers int) (total int64) {
	sums := make([]int64, workers)
	var wg sync.WaitGroup
	for w := range workers {
		part := entries[w*len(entries)/workers : (w+1)*len(entries)/workers]
		wg.Go(func() {
			sum := int64(0)
			for i := range part {
				sum += part[i].Bytes
			}
			sums[w] = sum
		})
	}
	wg.Wait()
	for _, sum := range sums {
		total += sum
	}
	return total
}
