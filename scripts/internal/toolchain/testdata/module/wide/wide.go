//go:build goexperiment.simd && amd64

package wide

import "simd/archsimd"

func Wide() int { return 2 }

func Add(x, y archsimd.Float32x4) archsimd.Float32x4 { return x.Add(y) }
