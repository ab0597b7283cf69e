// Or of two masks of 64 lanes is either of them.
package main

import "simd/archsimd"

//go:noinline
func or(v, w, x, y archsimd.Uint8x64) uint64 { return v.Greater(w).Or(x.Equal(y)).ToBits() }

func main() {
	if !archsimd.X86.AVX512() {
		println("cannot happen here: it takes AVX-512")
		return
	}
	var numbers [64]uint8
	for i := range numbers {
		numbers[i] = uint8(i)
	}
	v := archsimd.LoadUint8x64(numbers[:])
	got := or(v, archsimd.BroadcastUint8x64(40), v, archsimd.BroadcastUint8x64(7))
	if got == 1<<7|^uint64(1<<41-1) {
		println("right")
	} else {
		println("wrong")
	}
}
