package step11

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var durations = sync.OnceValue(func() (all []int) {
	for _, e := range accesslog.Entries(accesslog.Generate(1, 50_000)) {
		all = append(all, int(e.Duration.Microseconds()))
	}
	return all
})

// Limits in microseconds: half of the requests take longer than the first, and one in a
// hundred longer than the second.
const half, few = 18_316, 300_000

func TestSame(t *testing.T) {
	for _, limit := range []int{-1, 0, half, few, 1e9} {
		assert.Equal(t, Slow([]int{7}, durations(), limit), SlowWithoutJump([]int{7}, durations(), limit), limit)
	}
	assert.InDelta(t, 25_000, len(Slow(nil, durations(), half)), 1_000)
	assert.InDelta(t, 500, len(Slow(nil, durations(), few)), 100)
}

// BenchmarkExample: an operation is 50,000 durations, more than a predictor learns by heart.
func BenchmarkExample(b *testing.B) {
	all, room := durations(), make([]int, 50_000)
	for _, tt := range []struct {
		name  string
		limit int
	}{{"half", half}, {"few", few}} {
		b.Run("func=Slow,"+tt.name+"/version=before", func(b *testing.B) {
			for b.Loop() {
				Slow(room[:0], all, tt.limit)
			}
		})
		b.Run("func=Slow,"+tt.name+"/version=after", func(b *testing.B) {
			for b.Loop() {
				SlowWithoutJump(room[:0], all, tt.limit)
			}
		})
	}
}
