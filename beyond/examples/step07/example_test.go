package step07

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var durations = sync.OnceValue(func() (all []uint64) {
	for _, e := range accesslog.Entries(accesslog.Generate(1, 20_000)) {
		all = append(all, uint64(e.Duration.Microseconds()))
	}
	return all
})

func TestSame(t *testing.T) {
	all := append([]uint64{0, 1, math.MaxUint64}, durations()...)
	before, after := NewHistogram(), new(FixedHistogram)
	before.Add(all)
	after.Add(all)
	assert.NotZero(t, after.counts[64])
	assert.Equal(t, before.counts, after.counts[:])
}

// BenchmarkExample: an operation is 20,000 durations.
func BenchmarkExample(b *testing.B) {
	all := durations()
	b.Run("func=Histogram.Add/version=before", func(b *testing.B) {
		h := NewHistogram()
		for b.Loop() {
			h.Add(all)
		}
	})
	b.Run("func=Histogram.Add/version=after", func(b *testing.B) {
		h := new(FixedHistogram)
		for b.Loop() {
			h.Add(all)
		}
	})
}
