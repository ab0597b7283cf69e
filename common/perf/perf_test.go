package perf

import (
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// run times a call of so many seconds.
func run(w *Worker, label string, seconds int, bytes, flops int64) {
	t := w.Start(label, bytes, flops)
	time.Sleep(time.Duration(seconds) * time.Second)
	t.Stop()
}

func TestReport(t *testing.T) {
	kind := func(bytes, flops, calls int64, seconds float64) Summary {
		return Summary{Bytes: bytes, Flops: flops, Calls: calls, Min: seconds, Max: seconds, Avg: seconds,
			GBPerSecond: float64(bytes) / seconds / 1e9, GFLOPPerSecond: float64(flops) / seconds / 1e9}
	}
	for _, tt := range []struct {
		name string
		run  func(timers *Timers)
		want Report
	}{
		{"a summary", func(timers *Timers) {
			for _, seconds := range []int{5, 1, 9, 5, 5, 5, 5, 5} {
				run(timers.Worker(0), "a", seconds, 10e9, 30e9)
			}
		}, Report{{"a": {{Bytes: 10e9, Flops: 30e9, Calls: 8, Min: 1, Max: 9, Avg: 5, Stddev: 2, GBPerSecond: 2, GFLOPPerSecond: 6}}}}},
		{"kinds", func(timers *Timers) {
			w := timers.Worker(1)
			run(w, "b", 1, 2e9, 1e9)
			run(w, "b", 2, 1e9, 2e9)
			run(w, "b", 3, 1e9, 1e9)
			run(w, "a", 4, 1e9, 1e9)
			run(timers.Worker(1), "b", 3, 1e9, 1e9)
		}, Report{{}, {"a": {kind(1e9, 1e9, 1, 4)}, "b": {kind(1e9, 1e9, 2, 3), kind(1e9, 2e9, 1, 2), kind(2e9, 1e9, 1, 1)}}}},
		{"timers that overlap", func(timers *Timers) {
			outer := timers.Worker(0).Start("a", 0, 0)
			time.Sleep(time.Second)
			inner := timers.Worker(0).Start("a", 0, 0)
			time.Sleep(time.Second)
			outer.Stop()
			time.Sleep(time.Second)
			inner.Stop()
			outer.Stop() // again
		}, Report{{"a": {{Calls: 2, Min: 2, Max: 2, Avg: 2}}}}},
		{"on and off", func(timers *Timers) {
			timers.Off()
			w := timers.Worker(0)
			starts := w.Start("off", 0, 0)
			timers.On()
			starts.Stop()
			ends := w.Start("on", 0, 0)
			time.Sleep(time.Second)
			timers.Off()
			ends.Stop()
			run(w, "off", 1, 0, 0)
			timers.On()
			run(w, "on", 1, 0, 0)
		}, Report{{"on": {{Calls: 2, Min: 1, Max: 1, Avg: 1}}}}},
		// In float64, sums of the squares of these times would have lost the spread.
		{"times of years that differ by two seconds", func(timers *Timers) {
			for i := range 4 {
				run(timers.Worker(0), "a", 1<<30+i%2*2, 0, 0)
			}
		}, Report{{"a": {{Calls: 4, Min: 1 << 30, Max: 1<<30 + 2, Avg: 1<<30 + 1, Stddev: 1}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // in whose time a call takes what it sleeps
				var timers Timers
				timers.On()
				tt.run(&timers)
				assert.Equal(t, tt.want, timers.Report())
			})
		})
	}
}

// Goroutines share a worker and have one of their own, while others ask for
// reports and switch the timers: it is also the race detector that can fail.
func TestAtOnce(t *testing.T) {
	var timers Timers
	timers.On()
	const workers, calls = 4, 500
	var wait sync.WaitGroup
	for number := range workers {
		wait.Go(func() {
			private := timers.Worker(1 + number)
			for range calls {
				timers.Worker(0).Start("shared", 0, 0).Stop()
				private.Start("private", 0, 0).Stop()
			}
		})
	}
	wait.Go(func() {
		for range 100 {
			timers.Report()
		}
	})
	wait.Wait()
	report := timers.Report()
	require.Len(t, report, 1+workers)
	assert.EqualValues(t, workers*calls, report[0]["shared"][0].Calls)
	for _, worker := range report[1:] {
		assert.EqualValues(t, calls, worker["private"][0].Calls)
	}
}

// Of 64 goroutines that share a worker and begin at one moment, no call is lost.
func TestSharedWorker(t *testing.T) {
	const goroutines, calls = 64, 2000
	var timers Timers
	timers.On()
	w, start := timers.Worker(0), make(chan struct{})
	var wait sync.WaitGroup
	for range goroutines {
		wait.Go(func() {
			<-start
			for range calls {
				w.Start("shared", 0, 0).Stop()
			}
		})
	}
	close(start)
	wait.Wait()
	assert.EqualValues(t, goroutines*calls, timers.Report()[0]["shared"][0].Calls)
}

// What a report says of a worker is of one moment, also while labels are added: two labels
// that are timed in turns are never two calls apart.
func TestOneMoment(t *testing.T) {
	var timers Timers
	timers.On()
	w, done := timers.Worker(0), make(chan struct{})
	go func() {
		defer close(done)
		for i := range 200 {
			w.Start(strconv.Itoa(i), 0, 0).Stop() // so that there are more to go through
			for range 100 {
				w.Start("first", 0, 0).Stop()
				w.Start("second", 0, 0).Stop()
			}
		}
	}()
	for working := true; working; {
		select {
		case <-done:
			working = false
		default:
		}
		calls := map[string]int64{}
		for label, summaries := range timers.Report()[0] {
			calls[label] = summaries[0].Calls
		}
		require.Contains(t, []int64{0, 1}, calls["first"]-calls["second"])
	}
}

func TestJSON(t *testing.T) {
	text, err := json.Marshal(Report{{}, {"a": {{4e9, 6e9, 1, 2, 2, 2, 0, 2, 3}}}})
	require.NoError(t, err)
	assert.JSONEq(t, `[{}, {"a": [{
		"Bytes": 4000000000, "Flops": 6000000000, "Calls": 1,
		"Min": 2, "Max": 2, "Avg": 2, "Stddev": 0, "GB/s": 2, "GFLOP/s": 3
	}]}]`, string(text))
}

// What is kept of a timer takes no memory after the first of its kind.
func TestCountingDoesNotAllocate(t *testing.T) {
	var timers Timers
	timers.On()
	w := timers.Worker(0)
	assert.Zero(t, testing.AllocsPerRun(100, func() { timed(w) }))
}

// BenchmarkTimer is the cost of a timed call: an empty function with the line of the
// package comment.
func BenchmarkTimer(b *testing.B) {
	for _, timers := range []string{"off", "on"} {
		b.Run("timers="+timers, func(b *testing.B) {
			var t Timers
			t.on.Store(timers == "on")
			w := t.Worker(0)
			for b.Loop() {
				timed(w)
			}
		})
	}
}

//go:noinline
func timed(w *Worker) { defer w.Start("empty", 0, 0).Stop() }
