//go:build !purego

package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

var transitions = []struct {
	instructions string
	run          func(n int, x *float32, inUse bool)
}{
	{"sse", sse}, {"avx", avx}, {"one-of-avx-16-of-sse", mixed}, {"one-of-avx-32-of-sse", mixedLong},
}

var uppers = []struct {
	name  string
	inUse bool
}{{"clean", false}, {"in-use", true}}

// BenchmarkTransition: an operation is an iteration. Does an upper half in use cost something for
// each instruction of SSE, or when the program goes from AVX to SSE and back?
func BenchmarkTransition(b *testing.B) {
	for _, loop := range transitions {
		for _, upper := range uppers {
			b.Run("instructions="+loop.instructions+"/upper="+upper.name, func(b *testing.B) {
				need(b, true)
				const rounds = 4096 // beside which going into the loop and out of it is little
				x := float32(1)
				b.ReportMetric(cyclesOf(b, rounds, func(int) { loop.run(rounds, &x, upper.inUse) }), "cycles/op")
			})
		}
	}
}

func TestTransition(t *testing.T) {
	if !hasAVX2 {
		t.Skip("the processor lacks AVX2")
	}
	for _, loop := range transitions {
		for _, upper := range uppers {
			x := float32(3)
			loop.run(5, &x, upper.inUse)
			assert.Equal(t, float32(9), x, "%s, %s", loop.instructions, upper.name)
		}
	}
}
