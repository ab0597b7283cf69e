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
	want := SumBytes(entries(), 1)
	assert.NotZero(t, want)
	for _, workers := range []int{1, 2, 7} {
		assert.Equal(t, want, SumBytes(entries(), workers), workers)
		assert.Equal(t, want, SumBytesApart(entries(), workers), workers)
	}
	assert.Zero(t, SumBytes(nil, 3))
	assert.Zero(t, SumBytesApart(nil, 3))
}

// BenchmarkExample: an operation is 50,000 entries.
func BenchmarkExample(b *testing.B) {
	all := entries()
	for _, tt := range []struct {
		name    string
		workers int
	}{{"one-goroutine", 1}, {"one-a-core", runtime.GOMAXPROCS(0)}} {
		b.Run("func=SumBytes,"+tt.name+"/version=before", func(b *testing.B) {
			for b.Loop() {
				SumBytes(all, tt.workers)
			}
		})
		b.Run("func=SumBytes,"+tt.name+"/version=after", func(b *testing.B) {
			for b.Loop() {
				SumBytesApart(all, tt.workers)
			}
		})
	}
}
