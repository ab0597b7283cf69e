//go:build goexperiment.simd && go1.27

package start

import "simd/archsimd"

// Go's ordinary code is slow while the upper halves of registers are in use.
func clearUppers() { archsimd.ClearAVXUpperBits() }
