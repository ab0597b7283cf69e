package step03

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var entries = sync.OnceValue(func() []accesslog.Entry {
	return accesslog.Entries(accesslog.Generate(1, 5_000))
})

// of returns metrics as a list.
func of(m *Metrics) []Metric { return []Metric{&m.Requests, &m.Errors, &m.Traffic, &m.Slowest} }

func TestSame(t *testing.T) {
	var before, after Metrics
	Measure(entries(), of(&before))
	after.Measure(entries())
	assert.Equal(t, 5_000, before.Requests.N)
	assert.NotZero(t, before.Errors.N)
	assert.Equal(t, before, after)
}

// BenchmarkExample: an operation is 5,000 entries.
func BenchmarkExample(b *testing.B) {
	all := entries()
	b.Run("func=Measure/version=before", func(b *testing.B) {
		metrics := of(new(Metrics))
		for b.Loop() {
			Measure(all, metrics)
		}
	})
	b.Run("func=Measure/version=after", func(b *testing.B) {
		metrics := new(Metrics)
		for b.Loop() {
			metrics.Measure(all)
		}
	})
}
