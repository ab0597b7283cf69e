// A vector can be a type argument.
package main

import "simd/archsimd"

//go:noinline
func sum[V interface{ Add(V) V }](x, y V) V { return x.Add(y) }

func main() {
	x := archsimd.BroadcastInt8x16(3)
	if sum(x, x).GetElem(0) == 6 {
		println("right")
	}
}
