package step09

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var durations = sync.OnceValue(func() (all []float64) {
	for _, e := range accesslog.Entries(accesslog.Generate(1, 10_000)) {
		all = append(all, e.Duration.Seconds())
	}
	return all
})

func statistics(all []float64) (mean, variance float64) {
	for _, d := range all {
		mean += d / float64(len(all))
	}
	for _, d := range all {
		variance += (d - mean) * (d - mean) / float64(len(all))
	}
	return mean, variance
}

func TestSame(t *testing.T) {
	mean, variance := statistics(durations())
	n := CountOutliers(durations(), mean, variance)
	assert.NotZero(t, n)
	assert.Equal(t, n, CountOutliersAbove(durations(), mean, variance))
}

// BenchmarkExample: an operation is 10,000 durations.
func BenchmarkExample(b *testing.B) {
	all := durations()
	mean, variance := statistics(all)
	b.Run("func=CountOutliers/version=before", func(b *testing.B) {
		for b.Loop() {
			CountOutliers(all, mean, variance)
		}
	})
	b.Run("func=CountOutliers/version=after", func(b *testing.B) {
		for b.Loop() {
			CountOutliersAbove(all, mean, variance)
		}
	})
}
