package step05

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var entries = sync.OnceValue(func() []accesslog.Entry {
	return accesslog.Entries(accesslog.Generate(1, 50_000))
})

func TestSame(t *testing.T) {
	columns := NewColumns(entries())
	total := ErrorBytes(entries())
	assert.NotZero(t, total)
	assert.Equal(t, total, columns.ErrorBytes())
}

// BenchmarkExample: an operation is 50,000 entries, of six megabytes.
func BenchmarkExample(b *testing.B) {
	b.Run("func=ErrorBytes/version=before", func(b *testing.B) {
		all := entries()
		for b.Loop() {
			ErrorBytes(all)
		}
	})
	b.Run("func=ErrorBytes/version=after", func(b *testing.B) {
		columns := NewColumns(entries())
		for b.Loop() {
			columns.ErrorBytes()
		}
	})
}
