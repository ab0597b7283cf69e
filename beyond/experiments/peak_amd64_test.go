//go:build !purego

package experiments

import (
	"fmt"
	"testing"

	"golang.org/x/sys/cpu"
)

// loop does one thing over and over.
type loop struct {
	op      string
	bits    int         // of an operand, or 0
	count   int         // operations of a round
	run     func(n int) // does n rounds, at least one
	missing string      // why it cannot run here, in words for a reader, or empty
}

const (
	operations = 56  // of a round: four for each of the fourteen registers
	nops       = 448 // of the loop that does nothing
	links      = 64  // additions of a round of the chain, a cycle each
)

// loops returns what can be measured, in the order of a table.
func loops() (all []loop) {
	all = append(all, loop{"nop", 0, nops, nop, ""})
	for _, width := range []struct {
		bits int
		run  [6]func(n int)
		has  bool
		what string
	}{
		{128, [6]func(n int){add128, mul128, fma128, addMul128, load128, store128}, cpu.X86.HasAVX2 && cpu.X86.HasFMA, "AVX2 or FMA"},
		{256, [6]func(n int){add256, mul256, fma256, addMul256, load256, store256}, cpu.X86.HasAVX2 && cpu.X86.HasFMA, "AVX2 or FMA"},
		{512, [6]func(n int){add512, mul512, fma512, addMul512, load512, store512}, cpu.X86.HasAVX512F, "AVX-512"},
	} {
		missing := ""
		if !width.has {
			missing = "the processor lacks " + width.what + ", or GODEBUG masks it"
		}
		for i, op := range []string{"add", "mul", "fma", "add+mul", "load", "store"} {
			all = append(all, loop{op, width.bits, operations, width.run[i], missing})
		}
	}
	return all
}

func (l *loop) name() string { return fmt.Sprintf("op=%s/bits=%d", l.op, l.bits) }

// BenchmarkPeak reports operations a cycle.
func BenchmarkPeak(b *testing.B) {
	for _, l := range loops() {
		b.Run(l.name(), func(b *testing.B) {
			if l.missing != "" {
				b.Skip(l.missing)
			}
			const rounds = 1 << 10
			b.ReportMetric(float64(l.count)/cyclesOf(b, rounds, func(int) { l.run(rounds) }), "op/cycle")
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
