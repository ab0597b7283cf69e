// Package apiprof tells how much of a worker's time goes into one API, while
// the program runs and with no tool beside it (after Preshing, "A C++
// Profiling Module for Multithreaded APIs"). Once a second each worker writes a
// line with the time that it spent inside and the number of calls:
//
//	worker 3: 6/1001 ms in "hit", 0.6 %, 6481 calls
//
// Each goroutine gets a [Worker] from [API.Worker] and passes it to the functions of
// the API, which are marked by an Enter at the start and a Leave wherever they end:
//
//	func (t *Table) Get(w *apiprof.Worker, key string) int {
//		w.Enter()
//		defer w.Leave()
//		...
//
// A nil Worker counts nothing. Marked functions may call each other and themselves:
// only the outermost call counts, in time and in number. (Preshing's module counts the
// inner ones twice.) A mark reads the clock twice, which is nearly all that it costs.
package apiprof

import (
	"fmt"
	"io"
	"sync"
	"time"

	"raysteps/common/clock"
	"raysteps/common/mem"
)

// API is a set of functions whose callers are measured. It is usually a
// variable of the package that has the functions; its fields are set before
// the first call of Worker and stay as they are. It must not be copied.
type API struct {
	// Name is what the lines call it.
	Name string

	// Log is where the lines go; it must be there. Each line is one call of Write, and there is one
	// at a time. If more than one API writes there, then it must be safe for
	// concurrent use. A line that cannot be written is lost.
	Log io.Writer

	// Clock returns the time since some fixed moment and never goes back. Nil
	// is [clock.Now]. Workers call it at the same time.
	Clock func() time.Duration

	writing sync.Mutex
}

// interval is the least time between two lines of a worker.
const interval = time.Second

// Worker measures the calls that one goroutine makes. It must not be used by
// more than one at a time. It is isolated, so that those of other goroutines are
// in other cache lines.
type Worker struct {
	api    *API
	number int

	depth  int           // calls that were entered and not left
	start  time.Duration // of the outermost one
	inside time.Duration // this and the following: since the last line
	calls  int
	since  time.Duration // when the last line was written, or the worker made
}

// Worker returns a new worker, whose first interval begins now. The number
// names it in the lines; workers that have the same number are measured apart
// and only look alike. Worker panics if the API has no Log.
func (a *API) Worker(number int) *Worker {
	if a.Log == nil {
		panic(fmt.Sprintf("apiprof: API %q has no Log; want a writer for its lines", a.Name))
	}
	w := mem.NewIsolated[Worker]()
	*w = Worker{api: a, number: number}
	w.since = w.time()
	return w
}

// Enter marks the beginning of a call.
func (w *Worker) Enter() {
	if w != nil {
		w.enter()
	}
}

// Leave marks the end of the call that was entered last. If it ends the
// outermost call and an interval has passed, Leave also writes the line. A
// Leave that has no Enter panics.
func (w *Worker) Leave() {
	if w != nil {
		w.leave()
	}
}

// Flush writes a line for what has not been logged yet, if anything, and
// begins a new interval. It belongs at the end of a worker, deferred, when all
// calls have been left.
func (w *Worker) Flush() {
	if w != nil && w.calls > 0 {
		w.log(w.time())
	}
}

func (w *Worker) enter() {
	if w.depth++; w.depth == 1 {
		w.start = w.time()
	}
}

func (w *Worker) leave() {
	if w.depth < 1 {
		panic("apiprof: Leave without Enter")
	}
	if w.depth--; w.depth > 0 {
		return
	}
	now := w.time()
	w.inside += now - w.start
	w.calls++
	if now-w.since >= interval {
		w.log(now)
	}
}

// time calls the system's clock directly, which saves a call through a variable.
func (w *Worker) time() time.Duration {
	if w.api.Clock != nil {
		return w.api.Clock()
	}
	return clock.Now()
}

// log writes a line and begins a new interval.
func (w *Worker) log(now time.Duration) {
	passed := now - w.since
	share := 0.0
	if passed > 0 {
		share = 100 * float64(w.inside) / float64(passed)
	}
	const ms = float64(time.Millisecond)
	line := fmt.Appendf(nil, "worker %d: %.0f/%.0f ms in %q, %.1f %%, %d calls\n",
		w.number, float64(w.inside)/ms, float64(passed)/ms, w.api.Name, share, w.calls)
	w.inside, w.calls, w.since = 0, 0, now

	w.api.writing.Lock()
	defer w.api.writing.Unlock()
	w.api.Log.Write(line)
}
