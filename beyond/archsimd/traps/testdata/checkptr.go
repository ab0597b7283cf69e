// A part of a vector can be loaded from a short slice while pointers are checked, as with -race.
package main

import "simd/archsimd"

//go:noinline
func short() []int32 { return []int32{7} }

func main() {
	x, _ := archsimd.LoadInt32x8Part(short())
	if x.GetLo().GetElem(0) == 7 {
		println("right")
	}
}
