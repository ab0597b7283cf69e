// A variable of a package can be a vector of package simd.
package main

import "simd"

var half = simd.BroadcastFloat32s(0.5)

func main() {
	x := make([]float32, 16)
	x[3] = 4
	if simd.LoadFloat32s(x).Mul(half).Store(x); x[3] == 2 {
		println("right")
	}
}
