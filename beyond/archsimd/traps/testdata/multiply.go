// A carryless product wants PMULL, which not every arm64 processor has.
package main

import "simd/archsimd"

func main() {
	if archsimd.ARM64.PMULL() {
		println("cannot happen here: it takes arm64 without PMULL")
		return
	}
	x := archsimd.BroadcastUint64x2(3)
	if x.CarrylessMultiplyEven(x).GetElem(0) == 5 {
		println("right")
	}
}
