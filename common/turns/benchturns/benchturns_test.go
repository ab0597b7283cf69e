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
	start, before := time.Now(), schedule()
	done := make(chan bool)
	for i := 0; i < threads; i++ {
		go func() {
			runtime.LockOSThread()
			for time.Since(start) < 400*time.Millisecond {
			}
			done <- true
		}()
	}
	for i := 0; i < threads; i++ {
		<-done
	}
	assert.Greater(t, waited(before), 0.04)
	assert.Less(t, waited(before), time.Since(start).Seconds())
}
