package apiprof

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"raysteps/common/clock"
)

func TestTicksGoOn(t *testing.T) {
	first := ticks()
	for begin := time.Now(); time.Since(begin) < time.Millisecond; {
	}
	assert.Greater(t, ticks(), first)
}

var sink int64

// BenchmarkClock reads a clock once: the time of day with the monotonic time,
// the monotonic time alone, and the processor's counter.
func BenchmarkClock(b *testing.B) {
	b.Run("read=now", func(b *testing.B) {
		for b.Loop() {
			sink = time.Now().UnixNano()
		}
	})
	b.Run("read=since", func(b *testing.B) {
		for b.Loop() {
			sink = int64(clock.Now())
		}
	})
	b.Run("read=ticks", func(b *testing.B) {
		if !hasTicks {
			b.Skip("ticks is written in assembly for amd64, and this build has none")
		}
		for b.Loop() {
			sink = ticks()
		}
	})
}
