package perf

import (
	"bytes"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stoppedClock stands until it is moved.
type stoppedClock struct{ now time.Duration }

func newTimers() (*Timers, *stoppedClock) {
	c := &stoppedClock{5 * time.Hour}
	t := &Timers{now: func() time.Duration { return c.now }}
	t.On()
	return t, c
}

// run times a call of so many seconds.
func (c *stoppedClock) run(w *Worker, label string, seconds int, bytes, flops int64) {
	t := w.Start(label, bytes, flops)
	c.now += time.Duration(seconds) * time.Second
	t.Stop()
}

func TestReport(t *testing.T) {
	kind := func(bytes, flops, calls int64, seconds float64) Summary {
		return Summary{Bytes: bytes, Flops: flops, Calls: calls, Min: seconds, Max: seconds, Avg: seconds,
			GBPerSecond: float64(bytes) / seconds / 1e9, GFLOPPerSecond: float64(flops) / seconds / 1e9}
	}
	for _, tt := range []struct {
		name string
		run  func(timers *Timers, c *stoppedClock)
		want Report
	}{
		{"a summary", func(timers *Timers, c *stoppedClock) {
			for _, seconds := range []int{4, 2, 4, 5, 5, 7, 9, 4} {
				c.run(timers.Worker(0), "a", seconds, 10e9, 30e9)
			}
		}, Report{{"a": {{Bytes: 10e9, Flops: 30e9, Calls: 8, Min: 2, Max: 9, Avg: 5, Stddev: 2, GBPerSecond: 2, GFLOPPerSecond: 6}}}}},
		{"kinds", func(timers *Timers, c *stoppedClock) {
			w := timers.Worker(1)
			c.run(w, "b", 1, 2e9, 1e9)
			c.run(w, "b", 2, 1e9, 2e9)
			c.run(w, "b", 3, 1e9, 1e9)
			c.run(w, "a", 4, 1e9, 1e9)
			c.run(w, "b", 3, 1e9, 1e9)
		}, Report{{}, {"a": {kind(1e9, 1e9, 1, 4)}, "b": {kind(1e9, 1e9, 2, 3), kind(1e9, 2e9, 1, 2), kind(2e9, 1e9, 1, 1)}}}},
		{"timers that overlap", func(timers *Timers, c *stoppedClock) {
			outer := timers.Worker(0).Start("a", 0, 0)
			c.now += time.Second
			inner := timers.Worker(0).Start("a", 0, 0)
			c.now += time.Second
			outer.Stop()
			c.now += time.Second
			inner.Stop()
		}, Report{{"a": {{Calls: 2, Min: 2, Max: 2, Avg: 2}}}}},
		{"stopped twice", func(timers *Timers, c *stoppedClock) {
			timer := timers.Worker(0).Start("a", 0, 0)
			defer timer.Stop()
			c.now += time.Second
			timer.Stop()
			c.now += time.Second
		}, Report{{"a": {{Calls: 1, Min: 1, Max: 1, Avg: 1}}}}},
		{"one worker for a number", func(timers *Timers, c *stoppedClock) {
			w := timers.Worker(2)
			assert.NotSame(t, w, timers.Worker(1))
			c.run(w, "a", 1, 0, 0)
			c.run(timers.Worker(2), "a", 3, 0, 0)
		}, Report{{}, {}, {"a": {{Calls: 2, Min: 1, Max: 3, Avg: 2, Stddev: 1}}}}},
		// In float64, sums of the squares of these times would have lost the spread.
		{"times of a day that differ by two seconds", func(timers *Timers, c *stoppedClock) {
			for i := range 10_000 {
				c.run(timers.Worker(0), "a", 1<<30+i%2*2, 0, 0)
			}
		}, Report{{"a": {{Calls: 10_000, Min: 1 << 30, Max: 1<<30 + 2, Avg: 1<<30 + 1, Stddev: 1}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			timers, c := newTimers()
			tt.run(timers, c)
			got := timers.Report()
			for _, worker := range got {
				for i := range worker["a"] {
					worker["a"][i].Stddev = math.Round(1e6*worker["a"][i].Stddev) / 1e6
				}
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestOnOff(t *testing.T) {
	timers, c := newTimers()
	timers.Off()
	w := timers.Worker(0)
	c.run(w, "off", 1, 0, 0)
	starts := w.Start("on meanwhile", 0, 0)
	timers.On()
	starts.Stop()
	c.run(w, "on", 1, 0, 0)
	ends := w.Start("off meanwhile", 0, 0)
	c.now += time.Second
	timers.Off()
	ends.Stop()
	c.run(w, "off", 1, 0, 0)
	timers.On()
	c.run(w, "on again", 1, 0, 0)
	one := []Summary{{Calls: 1, Min: 1, Max: 1, Avg: 1}}
	assert.Equal(t, Report{{"on": one, "off meanwhile": one, "on again": one}}, timers.Report())
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

func TestWriteJSON(t *testing.T) {
	timers, c := newTimers()
	c.run(timers.Worker(1), "a", 2, 4e9, 6e9)
	var text bytes.Buffer
	require.NoError(t, timers.Report().WriteJSON(&text))
	assert.JSONEq(t, `[{}, {"a": [{
		"Bytes": 4000000000, "Flops": 6000000000, "Calls": 1,
		"Min": 2, "Max": 2, "Avg": 2, "Stddev": 0, "GB/s": 2, "GFLOP/s": 3
	}]}]`, text.String())
}

// What is kept of a timer takes no memory after the first of its kind.
func TestCountingDoesNotAllocate(t *testing.T) {
	timers, _ := newTimers()
	w := timers.Worker(0)
	var timer Timer
	for _, on := range []bool{true, false} {
		timers.on.Store(on)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			w.start(&timer, "integrate", 0, 14_000_000)
			timer.Stop()
		}), "on: %t", on)
	}
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
