//go:build !purego

package peak

import (
	"fmt"
	"math"
	"testing"
	"time"
)

func (l *loop) name() string { return fmt.Sprintf("op=%s/bits=%d", l.op, l.bits) }

// BenchmarkPeak reports operations a cycle and the clock: of the fastest of many short
// runs of a loop and of the chain, in turns, since others are interrupted.
func BenchmarkPeak(b *testing.B) {
	for _, l := range loops() {
		b.Run(l.name(), func(b *testing.B) {
			if l.missing != "" {
				b.Skip(l.missing)
			}
			const rounds = 1 << 10
			round, cycle := math.Inf(1), math.Inf(1) // in seconds
			fastest := func(so float64, run func(n int)) float64 {
				start := time.Now()
				run(rounds)
				return min(so, time.Since(start).Seconds()/rounds)
			}
			for b.Loop() {
				round, cycle = fastest(round, l.run), fastest(cycle*links, chain)/links
			}
			b.ReportMetric(float64(l.count)/round*cycle, "op/cycle")
			b.ReportMetric(1/cycle, "Hz")
		})
	}
}

// TestWork runs what can run here. TestPeak of package results holds what is published of
// the loops to the guides of vendors.
func TestWork(t *testing.T) {
	for _, l := range loops() {
		t.Run(l.name(), func(t *testing.T) {
			if l.missing != "" {
				t.Skip(l.missing)
			}
			l.run(1)
			l.run(3)
		})
	}
	chain(1)
}
