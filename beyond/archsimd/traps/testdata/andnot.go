// Where the processor has AVX-512 the compiler joins two bitwise operations, and for AndNot
// exchanges the operands.
package main

import "simd/archsimd"

//go:noinline
func andNot(x, y, z int32) bool {
	or := archsimd.BroadcastInt32x16(x).Or(archsimd.BroadcastInt32x16(y))
	got := or.AndNot(archsimd.BroadcastInt32x16(z))
	return got.Equal(archsimd.BroadcastInt32x16((x|y)&^z)).ToBits() == 0xFFFF
}

func main() {
	switch {
	case !archsimd.X86.AVX512():
		println("cannot happen here: it takes AVX-512")
	case andNot(0x70F0F0F0, 0x4CCCCCCC, 0x2AAAAAAA):
		println("right")
	default:
		println("wrong")
	}
}
