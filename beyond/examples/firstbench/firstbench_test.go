package firstbench

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var durations = sync.OnceValue(func() (all []int) {
	for _, e := range accesslog.Entries(accesslog.Generate(1, 64_000)) {
		all = append(all, int(e.Duration.Microseconds()))
	}
	return all
})

// median is a limit that half of the durations are above.
const median = 18_316

func TestCountSlow(t *testing.T) {
	calls := 0
	n := CountSlow(durations(), median, func() { calls++ })
	assert.InDelta(t, 32_000, n, 1_000)
	assert.Equal(t, n, calls)
}

func TestShard(t *testing.T) {
	shards := map[uint64]int{}
	for client := range uint64(10_240) {
		shards[Shard(client)]++
	}
	assert.Greater(t, len(shards), 900)
	for shard := range shards {
		assert.Less(t, shard, uint64(1_024))
	}
}

// client is a variable, so that the compiler does not know it.
var client uint64 = 10_000_000_000

var kept uint64

// BenchmarkDead is one function in three loops.
func BenchmarkDead(b *testing.B) {
	b.Run("loop=b.N,dropped", func(b *testing.B) {
		for range b.N {
			Shard(client)
		}
	})
	b.Run("loop=b.N,kept", func(b *testing.B) {
		for range b.N {
			kept = Shard(client)
		}
	})
	b.Run("loop=b.Loop", func(b *testing.B) {
		for b.Loop() {
			Shard(client)
		}
	})
}

// BenchmarkRepeated takes so many durations again and again. The time is that of one.
func BenchmarkRepeated(b *testing.B) {
	calls := 0
	slow := func() { calls++ }
	for _, n := range []int{250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			all := durations()[:n]
			i := 0
			for b.Loop() {
				CountSlow(all, median, slow)
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i*n), "ns/duration")
		})
	}
}
