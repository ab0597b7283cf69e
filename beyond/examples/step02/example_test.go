package step02

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var statuses = sync.OnceValue(func() (all []Status) {
	for _, e := range accesslog.Entries(accesslog.Generate(1, 20_000)) {
		all = append(all, Status(e.Status))
	}
	return all
})

func TestSame(t *testing.T) {
	n := CountClasses(statuses())
	assert.NotZero(t, n[5])
	assert.Equal(t, n, CountClassesInlined(statuses()))
	for _, s := range []Status{-1, 0, 99, 600} {
		text := fmt.Sprintf("status %d; want 100 to 599", int(s))
		assert.PanicsWithValue(t, text, func() { s.Class() })
		assert.PanicsWithError(t, text, func() { s.class() })
	}
}

// BenchmarkExample: an operation is 20,000 statuses.
func BenchmarkExample(b *testing.B) {
	all := statuses()
	b.Run("func=CountClasses/version=before", func(b *testing.B) {
		for b.Loop() {
			CountClasses(all)
		}
	})
	b.Run("func=CountClasses/version=after", func(b *testing.B) {
		for b.Loop() {
			CountClassesInlined(all)
		}
	})
}
