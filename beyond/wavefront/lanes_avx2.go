//go:build goexperiment.simd && amd64 && !purego

package wavefront

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

type (
	floats8 = archsimd.Float32x8
	words8  = archsimd.Uint32x8
	ints8   = archsimd.Int32x8
)

// Columns and registers as in AVX-512.
type (
	column8[V any] struct {
		v V
		_ [columnLength - 8]uint32
	}
	register8[V any] struct {
		v V
		_ [group - 8]uint32
	}
	columns8   columnsOf[column8[floats8], column8[words8], column8[ints8]]
	camera8    = cameraLanes[register8[floats8]]
	constants8 = constantsOf[register8[floats8], register8[words8]]
)

var constantLanes8 = (*constants8)(unsafe.Pointer(constants))

func spread8(x float32) floats8       { return archsimd.BroadcastFloat32x8(x) }
func loadPart8(s []float32) floats8   { return *(*floats8)(unsafe.Pointer(&s[0])) }
func storePart8(s []uint32, x words8) { *(*words8)(unsafe.Pointer(&s[0])) = x }
func spreadWord8(x uint32) words8     { return archsimd.BroadcastUint32x8(x) }
func spreadInt8(x int32) ints8        { return archsimd.BroadcastInt32x8(x) }

// lanes8 returns a bit for each of n lanes, at most eight.
func lanes8(n int) uint { return 1<<uint(min(n, 8)) - 1 }

// newPick8 selects the lanes whose bits are set: their numbers, then anything. AVX2
// has no instruction to compress, but one that permutes: Permute is in the place of
// Compress.
func newPick8(lanes uint) words8 { return *(*words8)(unsafe.Pointer(&picks[lanes])) }

// count returns how many bits of sixteen are set. OnesCount of package bits
// asks whether the processor has an instruction for it, and on the way to what
// it would do otherwise the compiler saves all registers.
func count(lanes uint) int { return int(counts[lanes&255] + counts[lanes>>8&255]) }

var counts = func() (c [256]uint8) {
	for i := range c {
		c[i] = uint8(bits.OnesCount(uint(i)))
	}
	return c
}()
