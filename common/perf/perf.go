// Package perf times pieces of a program that know how many bytes they move
// and how many floating-point operations they do (after D. M. Rogers,
// "User-Level Timers"). A piece is timed by one line at its beginning:
//
//	defer worker.Start("integrate", 0, 14*steps).Stop()
//
// For each [Worker], label and pair of bytes and operations there is one [Summary]:
// calls, minimum, maximum, mean and standard deviation, and the rates that follow.
// [Report] is the JSON of the recipe, with the rates added.
//
// A timer belongs around what takes a microsecond or more: it reads the clock
// twice, looks up a label and takes a lock that nobody else wants. While
// timers are off, starting and stopping one costs a call and a load.
package perf

import (
	"sync"
	"sync/atomic"
	"time"

	"raysteps/common/clock"
	"raysteps/common/mem"
)

// Timers is a set of timers that are reported together, those of a run of the
// program, say. The zero value is ready, and off. All methods may be called at
// any time by any number of goroutines. It must not be copied.
type Timers struct {
	on atomic.Bool

	lock    sync.Mutex
	workers []*Worker // by number; nil if nobody asked for it
}

// On makes timers count that are started from now on.
func (t *Timers) On() { t.on.Store(true) }

// Off makes timers that are started from now on do nothing. Those that run are
// counted when they stop, and what was counted is kept.
func (t *Timers) Off() { t.on.Store(false) }

// Worker returns the worker of that number, the same one each time. Numbers
// count from 0, since they are places in a list.
func (t *Timers) Worker(number int) *Worker {
	t.lock.Lock()
	defer t.lock.Unlock()
	for len(t.workers) <= number {
		t.workers = append(t.workers, nil)
	}
	if t.workers[number] == nil {
		t.workers[number] = mem.NewIsolated[Worker]()
		*t.workers[number] = Worker{timers: t, records: map[key]*record{}}
	}
	return t.workers[number]
}

// Worker starts the timers of one worker. It is safe for concurrent use, but
// only as fast as it can be if one goroutine uses it. Workers and their records
// are isolated, so that those of other goroutines are in other cache lines.
type Worker struct {
	timers  *Timers
	lock    sync.Mutex // for the map and all that is in it
	records map[key]*record
}

type key struct {
	label        string
	bytes, flops int64
}

// record is a summary on its way: without Stddev and the rates. The worker's lock is
// held by whoever reads or changes it.
type record struct {
	Summary
	squares float64 // sum of the squared differences from the mean
}

// add takes in a time (Welford, "Note on a Method for Calculating Corrected
// Sums of Squares and Products", 1962). The textbook's difference of two large
// sums loses the digits that matter if times are long and alike.
func (r *record) add(x float64) {
	if r.Calls == 0 {
		r.Min, r.Max = x, x
	}
	r.Calls++
	r.Min, r.Max = min(r.Min, x), max(r.Max, x)
	d := x - r.Avg
	r.Avg += d / float64(r.Calls)
	r.squares += d * (x - r.Avg)
}

// Timer is a timer that was started.
type Timer struct {
	worker *Worker // nil if there is nothing to stop
	key    key
	start  time.Duration
}

// Start starts a timer for work that moves so many bytes and does so many
// floating-point operations, 0 if that is not of interest. It is stopped by
// [Timer.Stop], and counts only then. Timers may nest and overlap; each measures
// its time alone.
//
// Each pair of bytes and flops that a label comes with is summed up, and kept,
// apart. So they are best rounded if they differ at each call.
//
// A nil Worker starts timers that do nothing.
func (w *Worker) Start(label string, bytes, flops int64) *Timer {
	// This much can be inlined, and then the timer stays on the stack.
	t := new(Timer)
	if w != nil {
		w.start(t, label, bytes, flops)
	}
	return t
}

func (w *Worker) start(t *Timer, label string, bytes, flops int64) {
	if w.timers.on.Load() {
		*t = Timer{w, key{label, bytes, flops}, clock.Now()}
	}
}

// Stop counts the time since the timer was started. Only the first Stop does:
// a timer may be stopped early although a deferred Stop follows. Two
// goroutines must not stop the same timer at the same time.
func (t *Timer) Stop() {
	if t.worker != nil {
		t.stop()
	}
}

func (t *Timer) stop() {
	w := t.worker
	elapsed := clock.Now() - t.start
	t.worker = nil
	w.lock.Lock()
	defer w.lock.Unlock()
	r := w.records[t.key]
	if r == nil {
		r = mem.NewIsolated[record]()
		r.Bytes, r.Flops = t.key.bytes, t.key.flops
		w.records[t.key] = r
	}
	r.add(elapsed.Seconds())
}
