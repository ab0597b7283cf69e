package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// inOrder are the loops that one would write at first, where those of plain.go differ:
// with one sum.
var inOrder = Kernels{
	Way: "loop", Bits: 64,
	Sum: func(x []float32) float32 {
		sum := float32(0)
		for _, v := range x {
			sum += v
		}
		return sum
	},
	Dot: func(x, y []float32) float32 {
		sum := float32(0)
		for i, v := range x {
			sum += v * y[i]
		}
		return sum
	},
}

// BenchmarkKernels measures the six loops in all ways that this build and this
// processor have, on 20 elements and on 4,000, which are in the first-level cache or
// nearly, and Sum on a million, which are not.
//
//	GOTOOLCHAIN=go1.27.4 GOEXPERIMENT=simd go test -bench Kernels ./beyond/archsimd/kernels
func BenchmarkKernels(b *testing.B) {
	rng := rand.New(rand.NewPCG(55, 3))
	const most = 1_000_000
	in := random(rng, most, 0)
	for i := range in.x { // no special values, and half of the numbers above 0
		in.x[i], in.y[i] = rng.Float32()-0.5, rng.Float32()-0.5
	}
	dst := make([]float32, most)
	for i, loop := range calls(&inOrder, in, dst) {
		for _, n := range []int{20, 4000, most} {
			cut := input{x: in.x[:n], y: in.y[:n],
				words: [2][]uint64{in.words[0][:n], in.words[1][:n]}, bytes: in.bytes[:n], c: in.c}
			for _, k := range append([]Kernels{inOrder}, all...) {
				if k.Way == "loop" && loop.name != "Sum" && loop.name != "Dot" || n == most && loop.name != "Sum" {
					continue
				}
				b.Run(fmt.Sprintf("kernel=%s/n=%d/way=%s/bits=%d", loop.name, n, k.Way, k.Bits), func(b *testing.B) {
					run := calls(&k, cut, dst)[i].run
					for b.Loop() {
						run()
					}
				})
			}
		}
	}
}
