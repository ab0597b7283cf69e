package step13

import (
	"sync"

	"raysteps/beyond/examples/accesslog"
)

// CountClients counts requests by client, on so many goroutines.
func CountClients(entries []accesslog.Entry, workers int) map[string]int {
	counts := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w * len(entries) / workers; i < (w+1)*len(entries)/workers; i++ {
				mu.Lock()
				counts[entries[i].Client]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return counts
}
