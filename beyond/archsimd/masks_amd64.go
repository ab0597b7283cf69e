//go:build goexperiment.simd && go1.27 && !purego

package archsimd

import (
	"simd"
	"simd/archsimd"
)

// maskBits returns a bit a lane, the first one lowest. The package simd has nothing for
// it.
func maskBits(m simd.Mask32s) uint64 {
	switch m := m.ToArch().(type) {
	case archsimd.Mask32x4:
		return uint64(m.ToBits())
	case archsimd.Mask32x8:
		return uint64(m.ToBits())
	case archsimd.Mask32x16:
		return uint64(m.ToBits())
	}
	panic("a mask of no known width")
}

func clearUppers() { archsimd.ClearAVXUpperBits() }
