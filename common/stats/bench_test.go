package stats

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What the benchmarks count with.
var (
	benchSet     Set
	benchCounter = benchSet.Counter("Benchmark/Counter")
	benchInts    = benchSet.IntDistribution("Benchmark/Integers")
	benchFloats  = benchSet.FloatDistribution("Benchmark/Floats")
	benchPercent = benchSet.Percentage("Benchmark/Percentage")
	benchTimer   = benchSet.Timer("Benchmark/Timer")

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

// BenchmarkKind is an update of the other kinds of statistics by one worker,
// and of a counter that is switched off by a nil shard.
func BenchmarkKind(b *testing.B) {
	for _, bench := range []struct {
		kind string
		loop func(shard *Shard, n int)
	}{
		{"off", func(shard *Shard, n int) {
			for range n {
				benchCounter.Add(shard, 1)
			}
		}},
		{"percentage", func(shard *Shard, n int) {
			for i := range n {
				benchPercent.Count(shard, i&3 == 0)
			}
		}},
		{"ints", func(shard *Shard, n int) {
			for i := range n {
				benchInts.Add(shard, int64(i&63))
			}
		}},
		{"floats", func(shard *Shard, n int) {
			for i := range n {
				benchFloats.Add(shard, float64(i&63))
			}
		}},
		{"timer", func(shard *Shard, n int) {
			for range n {
				benchTimer.Since(shard, time.Now())
			}
		}},
	} {
		b.Run("kind="+bench.kind, func(b *testing.B) {
			run := benchSet.NewRun()
			if bench.kind == "off" {
				run = nil
			}
			shard := run.NewShard()
			defer shard.Close()
			bench.loop(shard, b.N)
		})
	}
}
