//go:build goexperiment.simd && amd64 && !purego && go1.27

package wavefront

import "simd/archsimd"

// What Go 1.26 has under other names.

// lowHalves and highHalves put halves of two registers side by side.
func lowHalves(x, y archsimd.Int64x4) archsimd.Int64x4  { return x.ConcatPermute128Scalars(0, 2, y) }
func highHalves(x, y archsimd.Int64x4) archsimd.Int64x4 { return x.ConcatPermute128Scalars(1, 3, y) }
