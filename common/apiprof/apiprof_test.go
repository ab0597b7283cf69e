package apiprof

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// profile is an API with a clock that stands until it is moved.
type profile struct {
	API
	log  bytes.Buffer
	time time.Duration
}

func newProfile() *profile {
	p := &profile{time: 5 * time.Hour}
	p.API = API{Name: "hit", Log: &p.log, Clock: func() time.Duration { return p.time }}
	return p
}

// call spends so much time inside the API.
func (p *profile) call(w *Worker, d time.Duration) {
	w.Enter()
	p.time += d
	w.Leave()
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(p *profile, w *Worker)
		want string
	}{
		{"each line begins anew", func(p *profile, w *Worker) {
			for range 3 {
				p.call(w, 100*ms)
				p.time += 900 * ms
				p.call(w, 50*ms)
			}
		}, strings.Repeat("worker 3: 150/1050 ms in \"hit\", 14.3 %, 2 calls\n", 3)},
		{"flushed at once", func(p *profile, w *Worker) {
			w.Flush() // nothing to say
			p.call(w, 0)
			w.Flush()
			p.time += 20 * ms
			w.Flush() // nothing, and the interval goes on
			p.call(w, 5*ms)
			p.time += 25 * ms
			w.Flush()
			p.time += 990 * ms
			p.call(w, 9*ms)
			p.log.WriteString("999 ms later\n")
			p.call(w, 1*ms)
		}, "worker 3: 0/0 ms in \"hit\", 0.0 %, 1 calls\nworker 3: 5/50 ms in \"hit\", 10.0 %, 1 calls\n" +
			"999 ms later\nworker 3: 10/1000 ms in \"hit\", 1.0 %, 2 calls\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProfile()
			test.run(p, p.Worker(3))
			assert.Equal(t, test.want, p.log.String())
		})
	}
}

// Workers write to a buffer that is not safe for concurrent use: it is the
// race detector that can fail here.
func TestWorkersAtOnce(t *testing.T) {
	var log bytes.Buffer
	var now atomic.Int64
	api := &API{Name: "hit", Log: &log, Clock: func() time.Duration { return time.Duration(now.Add(int64(interval / 4))) }}
	const workers, calls = 4, 500
	var wait sync.WaitGroup
	for number := range workers {
		wait.Go(func() {
			w := api.Worker(number)
			defer w.Flush()
			for range calls {
				w.Enter()
				w.Leave()
			}
		})
	}
	wait.Wait()
	got := [workers]int{}
	for line := range strings.Lines(log.String()) {
		var worker, inside, passed, n int
		var share float64
		_, err := fmt.Sscanf(line, `worker %d: %d/%d ms in "hit", %f %%, %d calls`, &worker, &inside, &passed, &share, &n)
		require.NoError(t, err, line)
		got[worker] += n
	}
	assert.Equal(t, [workers]int{calls, calls, calls, calls}, got)
}

func TestNoLog(t *testing.T) {
	assert.PanicsWithValue(t, `apiprof: API "hit" has no Log; want a writer for its lines`, func() { (&API{Name: "hit"}).Worker(0) })
}

func TestMarksDoNotAllocate(t *testing.T) {
	w := newProfile().Worker(0)
	assert.Zero(t, testing.AllocsPerRun(100, func() { deferred(w) }))
}

//go:noinline
func deferred(w *Worker) {
	w.Enter()
	defer w.Leave()
}

// BenchmarkMark is the cost of a marked call: an empty function with a deferred Leave, as
// the package comment has it, for a worker and for a caller that does not measure.
func BenchmarkMark(b *testing.B) {
	api := &API{Name: "empty", Log: io.Discard}
	for _, worker := range []struct {
		name string
		*Worker
	}{{"none", nil}, {"one", api.Worker(0)}} {
		b.Run("worker="+worker.name, func(b *testing.B) {
			for b.Loop() {
				deferred(worker.Worker)
			}
		})
	}
}
