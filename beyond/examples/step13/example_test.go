package step13

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var entries = sync.OnceValue(func() []accesslog.Entry {
	return accesslog.Entries(accesslog.Generate(1, 50_000))
})

func TestSame(t *testing.T) {
	want := CountClients(entries(), 1)
	assert.NotEmpty(t, want)
	for _, workers := range []int{1, 2, 7} {
		assert.Equal(t, want, CountClients(entries(), workers), workers)
		assert.Equal(t, want, CountClientsApart(entries(), workers), workers)
	}
	assert.Empty(t, CountClientsApart(nil, 3))
}

// BenchmarkExample: an operation is 50,000 entries, on all cores.
func BenchmarkExample(b *testing.B) {
	all, workers := entries(), runtime.GOMAXPROCS(0)
	b.Run("func=CountClients/version=before", func(b *testing.B) {
		for b.Loop() {
			CountClients(all, workers)
		}
	})
	b.Run("func=CountClients/version=after", func(b *testing.B) {
		for b.Loop() {
			CountClientsApart(all, workers)
		}
	})
}
