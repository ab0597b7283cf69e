// Less and Greater are those of numbers, and each other's, for every pair of special values.
package main

import (
	"math"
	"simd/archsimd"
)

func main() {
	zero, inf := float32(0), float32(math.Inf(1))
	special := []float32{zero, -1 / inf, 1e-45, -1e-45, 1, -1, 1.5, inf, -inf, inf - inf}
	for _, a := range special {
		for _, b := range special {
			x, y := archsimd.BroadcastFloat32x8(a), archsimd.BroadcastFloat32x8(b)
			want := uint8(0)
			if a < b {
				want = 0xFF
			}
			less, greater := x.Less(y), y.Greater(x)
			lanes := less.ToInt32x8().Equal(archsimd.BroadcastInt32x8(int32(int8(want)))).ToBits()
			if less.ToBits() != want || greater.ToBits() != want || lanes != 0xFF {
				println("wrong")
				return
			}
		}
	}
	println("right")
}
