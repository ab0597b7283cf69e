// A function with vectors of package simd can have a loop without a variable.
package main

import "simd"

//go:noinline
func half(x []float32) {
	for range 1 {
		simd.LoadFloat32s(x).Mul(simd.BroadcastFloat32s(0.5)).Store(x)
	}
}

func main() {
	x := make([]float32, 16)
	x[3] = 4
	if half(x); x[3] == 2 {
		println("right")
	}
}
