package benchturns

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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
