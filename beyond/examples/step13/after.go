package step13

import (
	"sync"

	"raysteps/beyond/examples/accesslog"
)

// CountClientsApart counts requests by client, on so many goroutines, which share nothing that
// they write.
func CountClientsApart(entries []accesslog.Entry, workers int) map[string]int {
	counts := make([]map[string]int, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			own := map[string]int{}
			for i := w * len(entries) / workers; i < (w+1)*len(entries)/workers; i++ {
				own[entries[i].Client]++
			}
			counts[w] = own
		})
	}
	wg.Wait()
	all := counts[0]
	for _, own := range counts[1:] {
		for client, n := range own {
			all[client] += n
		}
	}
	return all
}
