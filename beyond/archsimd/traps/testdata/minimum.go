// In one function x.Min(y) and y.Min(x) are what each is alone, where x is NaN.
package main

import (
	"math"
	"simd/archsimd"
)

//go:noinline
func minimum(x, y archsimd.Float32x8) archsimd.Float32x8 { return x.Min(y) }

//go:noinline
func minima(x, y archsimd.Float32x8) (xy, yx archsimd.Float32x8) { return x.Min(y), y.Min(x) }

func same(v, w archsimd.Float32x8) bool {
	return v.ToBits().Equal(w.ToBits()).ToBits() == 0xFF
}

func main() {
	x, y := archsimd.BroadcastFloat32x8(float32(math.NaN())), archsimd.BroadcastFloat32x8(1)
	xy, yx := minima(x, y)
	if same(xy, minimum(x, y)) && same(yx, minimum(y, x)) {
		println("right")
	} else {
		println("wrong")
	}
}
