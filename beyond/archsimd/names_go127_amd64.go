//go:build goexperiment.simd && !purego && go1.27

package archsimd

import "simd/archsimd"

// What Go 1.26 has under other names.

func load16(s []float32) archsimd.Float32x16 { return archsimd.LoadFloat32x16Array((*[16]float32)(s)) }

func store16(x archsimd.Float32x16, s []float32) { x.StoreArray((*[16]float32)(s)) }
