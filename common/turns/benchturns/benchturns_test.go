package benchturns

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/turns"
)

// More threads than processors wait for each other.
func TestWaited(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip("this system does not say how long threads wait: ", err)
	}
	threads := 4 * runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, err := os.Readlink("/proc/thread-self")
	if err != nil {
		t.Skip("this system does not name threads: ", err)
	}
	start, before := time.Now(), waited(thread)
	spin := func() {
		for time.Since(start) < 400*time.Millisecond {
		}
	}
	done := make(chan bool)
	for i := 0; i < threads; i++ {
		go func() {
			runtime.LockOSThread()
			spin()
			done <- true
		}()
	}
	spin()
	wait := waited(thread) - before
	assert.Greater(t, wait, 0.04)
	assert.Less(t, wait, time.Since(start).Seconds())
	for i := 0; i < threads; i++ {
		<-done
	}
}

// What a benchmark prepares for longer than a slice does not keep the slice from having
// enough iterations.
func TestPreparation(t *testing.T) {
	before := functions
	defer func() { functions = before }()
	Add("BenchmarkPrepared", func(b *testing.B) {
		time.Sleep(150 * time.Millisecond)
		b.Run("micro", func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				for start := time.Now(); time.Since(start) < time.Microsecond; {
				}
			}
		})
	})
	s := &slice{name: "Prepared/micro"}
	_, err := s.take(turns.Request{Nanoseconds: int64(5 * time.Millisecond)})
	require.NoError(t, err)
	assert.Greater(t, s.n, 100)
}
