//go:build !purego

package experiments

import (
	"fmt"
	"math"
	"testing"
	"time"

	"golang.org/x/sys/cpu"
)

var hasAVX2, hasAVX512 = cpu.X86.HasAVX2 && cpu.X86.HasFMA, cpu.X86.HasAVX512F

// need skips what the processor cannot run. All loops and kernels need AVX2, some more.
func need(b *testing.B, has bool) {
	if !has || !hasAVX2 {
		b.Skip("the processor lacks AVX2, FMA or AVX-512, or GODEBUG masks it")
	}
}

// cyclesOf returns the cycles of an operation, of which run does a group.
func cyclesOf(b *testing.B, group int, run func(i int)) float64 {
	return fastest(b, run)[0] / float64(group)
}

// fastest returns the cycles of the fastest of many runs of each: others are interrupted. What
// a cycle takes says the fastest of many chains of additions.
func fastest(b *testing.B, runs ...func(i int)) (cycles []float64) {
	const rounds, links = 1 << 10, 64 // of the chain, long beside a look at the clock
	cycle := math.Inf(1)              // in seconds
	for range runs {
		cycles = append(cycles, math.Inf(1))
	}
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		chain(rounds)
		cycle = min(cycle, time.Since(start).Seconds()/rounds/links)
		for k, run := range runs {
			start = time.Now()
			run(i)
			cycles[k] = min(cycles[k], time.Since(start).Seconds())
		}
	}
	for k := range cycles {
		cycles[k] /= cycle
	}
	return cycles
}

// BenchmarkPeak reports operations a cycle.
func BenchmarkPeak(b *testing.B) {
	peak := func(op string, bits, operations int, run func(n int)) {
		b.Run(fmt.Sprintf("op=%s/bits=%d", op, bits), func(b *testing.B) {
			need(b, bits < 512 || hasAVX512)
			const rounds = 1 << 10
			b.ReportMetric(float64(operations)/cyclesOf(b, rounds, func(int) { run(rounds) }), "op/cycle")
		})
	}
	peak("nop", 0, 448, nop)
	for width, loops := range [][5]func(n int){
		{add128, mul128, fma128, addMul128, load128},
		{add256, mul256, fma256, addMul256, load256},
		{add512, mul512, fma512, addMul512, load512},
	} {
		for i, op := range []string{"add", "mul", "fma", "add+mul", "load"} {
			peak(op, 128<<width, 56, loops[i])
		}
	}
}

// BenchmarkForwarding stores numbers and loads them again at once, over and over. A
// processor hands the bytes of a store that is under way to a load if one store has
// all of them; otherwise the load waits until the stores are done.
func BenchmarkForwarding(b *testing.B) {
	for _, tt := range []struct {
		name string
		run  func(n int)
	}{{"store=16/load=16", store16load16}, {"store=4x4/load=16", store4x4load16}} {
		b.Run(tt.name, func(b *testing.B) {
			need(b, true)
			const rounds = 64
			b.ReportMetric(cyclesOf(b, 4*rounds, func(int) { tt.run(rounds) }), "cycles/op")
		})
	}
}
