package stats

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// What the benchmarks count with.
var (
	benchSet     Set
	benchCounter = benchSet.Counter("Benchmark/Counter")

	atomicCounter atomic.Int64
	mutex         sync.Mutex
	mutexCounter  int64
)

// BenchmarkUpdate is the time from one update of a worker to its next, alone
// and beside a worker that updates the same statistic.
func BenchmarkUpdate(b *testing.B) {
	for _, how := range []struct {
		name   string
		worker func(run *Run, n int)
	}{
		{"shard", func(run *Run, n int) {
			shard := run.NewShard()
			defer shard.Close()
			for range n {
				benchCounter.Add(shard, 1)
			}
		}},
		{"atomic", func(run *Run, n int) {
			for range n {
				atomicCounter.Add(1)
			}
		}},
		{"mutex", func(run *Run, n int) {
			for range n {
				mutex.Lock()
				mutexCounter++
				mutex.Unlock()
			}
		}},
	} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("how=%s/workers=%d", how.name, workers), func(b *testing.B) {
				run := benchSet.NewRun()
				var all sync.WaitGroup
				for range workers {
					all.Go(func() { how.worker(run, b.N) })
				}
				all.Wait()
			})
		}
	}
}
