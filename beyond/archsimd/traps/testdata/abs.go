// Abs and Neg of 128 bits want no more than AVX, as they say.
package main

import "simd/archsimd"

func main() {
	x := archsimd.LoadFloat32x4([]float32{-1, 2, -3, 4})
	if x.Abs().GetElem(0) == 1 && x.Neg().GetElem(1) == -2 {
		println("right")
	}
}
