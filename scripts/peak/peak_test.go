package peak

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func (l *loop) name() string { return fmt.Sprintf("op=%s/bits=%d", l.op, l.bits) }

func BenchmarkPeak(b *testing.B) {
	for _, l := range loops() {
		b.Run(l.name(), func(b *testing.B) {
			if l.missing != "" {
				b.Skip(l.missing)
			}
			const rounds = 1 << 12
			in, out := &input{m: 1, a: 1}, new([16]float32)
			for b.Loop() {
				l.run(rounds, in, out)
			}
			b.ReportMetric(float64(b.N)*rounds*float64(l.flops)/b.Elapsed().Seconds(), "flop/s")
		})
	}
}

// TestWork holds what comes out against the chains and rounds that the
// benchmark counts.
func TestWork(t *testing.T) {
	const m, a = 2, 3
	for _, l := range loops() {
		t.Run(l.name(), func(t *testing.T) {
			if l.missing != "" {
				t.Skip(l.missing)
			}
			lanes := l.bits / 32
			for _, n := range []int{1, 2, 4} {
				// The value of a chain after n rounds, from 0 or from 1.
				sum, product, fma := float32(n*a), float32(int(1)<<n), float32(n*m*a)
				if l.bits == 32 {
					product = float32(math.Pow(m, float64(int(1)<<n)))
				}
				var want float32
				switch half := float32(l.flops / lanes / 2); l.op {
				case "mul-add":
					want = half * (sum + product)
				case "fma":
					want = half * fma
				}
				var out [16]float32
				l.run(n, &input{m: m, a: a}, &out)
				for i, got := range out {
					if i < lanes {
						assert.Equal(t, want, got, "%d rounds, lane %d", n, i)
					} else {
						assert.Zero(t, got, "%d rounds, lane %d", n, i)
					}
				}
			}
		})
	}
}
