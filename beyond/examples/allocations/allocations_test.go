package allocations

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var entries = sync.OnceValue(func() []accesslog.Entry {
	return accesslog.Entries(accesslog.Generate(1, 1_000))
})

// sent is where bytes go.
var sent int

//go:noinline
func send(text []byte) { sent += len(text) }

//go:noinline
func run(hook func() int64) int64 { return hook() }

//go:noinline
func runWith(hook func(*accesslog.Entry) int64, e *accesslog.Entry) int64 { return hook(e) }

// Functions that the compiler does not know, or it would see that nothing is kept.
var (
	sender   = send
	runner   = run
	observer = func(s *Sum) Observer { return s }
)

func TestSame(t *testing.T) {
	all := entries()
	var any, numbers Sum
	ObserveAll(all, &any)
	AddAll(all, &numbers)
	assert.NotZero(t, any.N)
	assert.Equal(t, any, numbers)
	assert.Equal(t, any.N, Hooks(all, runner))
	assert.Equal(t, any.N, HookOnce(all, runWith))
	assert.Equal(t, Paths(all), PathsSized(all))
	var texts []string
	add := func(text []byte) { texts = append(texts, string(text)) }
	same := func() {
		t.Helper()
		half := len(texts) / 2
		assert.Equal(t, texts[:half], texts[half:])
		texts = nil
	}
	Keys(all, add)
	KeysAppended(all, add)
	same()
	for i := range all {
		Respond(&all[i], add)
		RespondPooled(&all[i], add)
		same()
	}
}

// BenchmarkAllocation: an operation is 1,000 entries.
func BenchmarkAllocation(b *testing.B) {
	all, sum := entries(), new(Sum)
	for _, tt := range []struct {
		name string
		run  func()
	}{
		{"func=interface/version=before", func() { ObserveAll(all, observer(sum)) }},
		{"func=interface/version=after", func() { AddAll(all, sum) }},
		{"func=closure/version=before", func() { Hooks(all, runner) }},
		{"func=closure/version=after", func() { HookOnce(all, runWith) }},
		{"func=append/version=before", func() { sent += len(Paths(all)) }},
		{"func=append/version=after", func() { sent += len(PathsSized(all)) }},
		{"func=fmt/version=before", func() { Keys(all, sender) }},
		{"func=fmt/version=after", func() { KeysAppended(all, sender) }},
		{"func=buffer/version=before", func() {
			for i := range all {
				Respond(&all[i], sender)
			}
		}},
		{"func=buffer/version=after", func() {
			for i := range all {
				RespondPooled(&all[i], sender)
			}
		}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tt.run()
			}
		})
	}
}

// kept is what a service has in memory while it works: 10,000 entries and their strings, some
// three megabytes.
var kept = sync.OnceValue(func() []accesslog.Entry {
	return accesslog.Entries(accesslog.Generate(2, 10_000))
})

var log = sync.OnceValue(func() []byte { return accesslog.Generate(1, 25_000) })

// analyze lets so many workers analyze a log each.
func analyze(workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			_, _ = accesslog.Analyze(bytes.NewReader(log()), accesslog.Services) // it is without an error
		})
	}
	wg.Wait()
}

// BenchmarkCollector analyzes a log a worker, which allocates ten megabytes. The collector has a
// core for itself, or none.
func BenchmarkCollector(b *testing.B) {
	defer runtime.KeepAlive(kept())
	busy := []struct {
		name    string
		workers int
	}{{"one", 1}, {"all", runtime.GOMAXPROCS(0)}}
	for _, w := range busy {
		for _, percent := range []int{25, 50, 100, 200, 400, -1} {
			name := fmt.Sprint(percent)
			if percent < 0 {
				name = "off"
			}
			b.Run("workers="+w.name+"/gogc="+name, func(b *testing.B) {
				defer debug.SetGCPercent(debug.SetGCPercent(percent))
				b.ReportAllocs()
				for b.Loop() {
					analyze(w.workers)
				}
			})
		}
	}
}

// BenchmarkLimit does the same with all workers, without a GOGC, and with a limit of memory that
// leaves so many megabytes above what is kept.
func BenchmarkLimit(b *testing.B) {
	defer runtime.KeepAlive(kept())
	log()
	for _, room := range []int64{1, 2, 4, 8, 16, 32} {
		b.Run(fmt.Sprint("room=", room), func(b *testing.B) {
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + room<<20))
			for b.Loop() {
				analyze(runtime.GOMAXPROCS(0))
			}
		})
	}
}
