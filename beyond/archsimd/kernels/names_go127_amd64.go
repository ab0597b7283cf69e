//go:build goexperiment.simd && !purego && go1.27

package kernels

import "simd/archsimd"

// Methods that have other names in Go 1.26.

func load8(s []float32) archsimd.Float32x8        { return archsimd.LoadFloat32x8(s) }
func load16(s []float32) archsimd.Float32x16      { return archsimd.LoadFloat32x16(s) }
func loadBytes32(s []uint8) archsimd.Uint8x32     { return archsimd.LoadUint8x32(s) }
func loadBytes64(s []uint8) archsimd.Uint8x64     { return archsimd.LoadUint8x64(s) }
func loadWords4(s []uint64) archsimd.Uint64x4     { return archsimd.LoadUint64x4(s) }
func loadWords8(s []uint64) archsimd.Uint64x8     { return archsimd.LoadUint64x8(s) }
func loadIndices8(a *[8]uint32) archsimd.Uint32x8 { return archsimd.LoadUint32x8Array(a) }

func store4(x archsimd.Float32x4, s []float32)    { x.Store(s) }
func store8(x archsimd.Float32x8, s []float32)    { x.Store(s) }
func store16(x archsimd.Float32x16, s []float32)  { x.Store(s) }
func storeInt8(x archsimd.Int32x8, s []int32)     { x.Store(s) }
func storeInt16(x archsimd.Int32x16, s []int32)   { x.Store(s) }
func storeWords4(x archsimd.Uint64x4, s []uint64) { x.Store(s) }

// sumOf8 adds up groups of eight bytes.
func sumOf8(x archsimd.Uint8x32) archsimd.Uint64x4 {
	return x.SumOf8AbsDiff(archsimd.Uint8x32{})
}
