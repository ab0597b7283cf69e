//go:build goexperiment.simd && amd64 && !purego && !go1.27

package wavefront

import "simd/archsimd"

// What Go 1.27 has under other names.

func loadFloats16(a *[16]float32) archsimd.Float32x16     { return archsimd.LoadFloat32x16(a) }
func loadUints16(a *[16]uint32) archsimd.Uint32x16        { return archsimd.LoadUint32x16(a) }
func storeFloats16(v archsimd.Float32x16, a *[16]float32) { v.Store(a) }
func storeUints16(v archsimd.Uint32x16, a *[16]uint32)    { v.Store(a) }
func storeSigned16(v archsimd.Int32x16, a *[16]int32)     { v.Store(a) }

func loadFloats8(a *[8]float32) archsimd.Float32x8     { return archsimd.LoadFloat32x8(a) }
func loadUints8(a *[8]uint32) archsimd.Uint32x8        { return archsimd.LoadUint32x8(a) }
func storeFloats8(v archsimd.Float32x8, a *[8]float32) { v.Store(a) }
func storeUints8(v archsimd.Uint32x8, a *[8]uint32)    { v.Store(a) }
func storeSigned8(v archsimd.Int32x8, a *[8]int32)     { v.Store(a) }
func loadSigned8(a *[8]int32) archsimd.Int32x8         { return archsimd.LoadInt32x8(a) }

func loadLong4(a *[4]int64) archsimd.Int64x4     { return archsimd.LoadInt64x4(a) }
func storeLong4(v archsimd.Int64x4, a *[4]int64) { v.Store(a) }

// lowHalves and highHalves put halves of two registers side by side.
func lowHalves(x, y archsimd.Int64x4) archsimd.Int64x4  { return x.Select128FromPair(0, 2, y) }
func highHalves(x, y archsimd.Int64x4) archsimd.Int64x4 { return x.Select128FromPair(1, 3, y) }
