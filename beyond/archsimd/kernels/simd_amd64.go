//go:build goexperiment.simd && go1.27 && !purego

package kernels

import "simd/archsimd"

// clearUppers ends every function of simd.go. The package simd has nothing for it.
func clearUppers() { archsimd.ClearAVXUpperBits() }
