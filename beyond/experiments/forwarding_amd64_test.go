//go:build !purego

package experiments

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/mem"
)

// independent are loops whose iterations need nothing of each other. By so many no-ops.
var independent = []struct {
	load string             // and how what it loads was stored
	runs map[int]overlapRun // by no-ops
}{
	{"of-one-store", runsOf(whole8, whole24, whole48, whole96, whole144, whole192)},
	{"of-its-store", runsOf(each8, each24, each48, each96, each144, each192)},
	{"of-four-stores", runsOf(parts8, parts24, parts48, parts96, parts144, parts192)},
}

// overlapRun does n iterations of a loop.
type overlapRun = func(n int, slots *[64][16]float32) [4]float32

var nops = []int{8, 24, 48, 96, 144, 192}

func runsOf(runs ...overlapRun) map[int]overlapRun {
	all := map[int]overlapRun{}
	for i, run := range runs {
		all[nops[i]] = run
	}
	return all
}

var numbers = [4]float32{1, 2, 3, 4}

// slots are 64 lines of the cache, each of which begins with nothing, but for the first.
func slots() *[64][16]float32 {
	s := (*[64][16]float32)(mem.Aligned[[16]float32](64, page))
	copy(s[0][:], numbers[:])
	return s
}

// BenchmarkOverlap stores sixteen bytes and loads them again in each iteration, which needs
// nothing of another. A load that costs nothing is hidden: the time is that of the no-ops.
func BenchmarkOverlap(b *testing.B) {
	for _, loop := range independent {
		for _, k := range nops {
			b.Run(fmt.Sprintf("load=%s/nops=%d", loop.load, k), func(b *testing.B) {
				need(b, true)
				const rounds = 256
				s := slots()
				b.ReportMetric(cyclesOf(b, rounds, func(int) { loop.runs[k](rounds, s) }), "cycles/op")
			})
		}
	}
}

// Each loop loads what it stores, in all slots.
func TestOverlap(t *testing.T) {
	if !hasAVX2 {
		t.Skip("the processor lacks AVX")
	}
	for _, loop := range independent {
		for _, k := range nops {
			s := slots()
			assert.Equal(t, numbers, loop.runs[k](63, s), "%s, %d no-ops", loop.load, k)
			for i, slot := range s {
				assert.Equal(t, numbers, [4]float32(slot[:4]), "%s, %d no-ops, slot %d", loop.load, k, i)
			}
		}
	}
}
