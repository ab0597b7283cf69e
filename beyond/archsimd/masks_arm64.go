//go:build goexperiment.simd && go1.27 && !purego

package archsimd

import (
	"simd"
	"simd/archsimd"
)

// places are the bits that the lanes of a mask become.
var places = [4]int32{1, 2, 4, 8}

// maskBits returns a bit a lane, the first one lowest. No method does: each lane keeps
// its own of places, and their sum has them all.
func maskBits(m simd.Mask32s) uint64 {
	lanes := m.ToArch().(archsimd.Mask32x4).ToInt32x4()
	return uint64(lanes.And(archsimd.LoadInt32x4Array(&places)).ReduceSum())
}

func clearUppers() {}
