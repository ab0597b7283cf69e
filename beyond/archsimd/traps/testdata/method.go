// A method can have vectors of package simd within.
package main

import "simd"

type scale float32

//go:noinline
func (s scale) apply(x []float32) {
	simd.LoadFloat32s(x).Mul(simd.BroadcastFloat32s(float32(s))).Store(x)
}

func main() {
	x := make([]float32, 16)
	x[3] = 4
	if scale(0.5).apply(x); x[3] == 2 {
		println("right")
	}
}
