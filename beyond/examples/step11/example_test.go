package step11

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var seconds = sync.OnceValue(func() (all []float64) {
	for _, e := range accesslog.Entries(accesslog.Generate(1, 2_000)) {
		all = append(all, e.Duration.Seconds())
	}
	return all
})

func TestSame(t *testing.T) {
	assert.Zero(t, SumOfFour(nil))
	for n := range len(seconds()) {
		want := Sum(seconds()[:n])
		assert.InDelta(t, want, SumOfFour(seconds()[:n]), 1e-12*want+1e-300, n)
	}
}

// BenchmarkExample: an operation is 2,000 durations, which the first-level cache holds.
func BenchmarkExample(b *testing.B) {
	all := seconds()
	b.Run("func=Sum/version=before", func(b *testing.B) {
		for b.Loop() {
			Sum(all)
		}
	})
	b.Run("func=Sum/version=after", func(b *testing.B) {
		for b.Loop() {
			SumOfFour(all)
		}
	})
}
