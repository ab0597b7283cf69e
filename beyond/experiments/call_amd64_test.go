//go:build !purego

package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

var calls = []struct {
	way string
	run func(n int) int
}{
	{"not-at-all", noCalls}, {"two-jumps", jumpedBack}, {"two-jumps-push-and-pop", pushedBack},
	{"call-and-return", calledBack},
}

// BenchmarkCall: an operation is an iteration, in which the program goes somewhere and comes back
// four times. What does a call take that does nothing, and how much of it are its two jumps?
func BenchmarkCall(b *testing.B) {
	for _, loop := range calls {
		b.Run("way="+loop.way, func(b *testing.B) {
			need(b, true)
			const rounds = 1024
			b.ReportMetric(cyclesOf(b, rounds, func(int) { loop.run(rounds) }), "cycles/op")
		})
	}
}

func TestCall(t *testing.T) {
	for _, loop := range calls {
		assert.Equal(t, 28, loop.run(7), loop.way)
	}
}
