//go:build goexperiment.simd && amd64 && !purego

package wavefront

import (
	"simd/archsimd"
	"unsafe"
)

// What the stages of AVX-512 and those of AVX2 do differently, or on operands of
// another size.

type (
	floats16 = archsimd.Float32x16
	words16  = archsimd.Uint32x16
	ints16   = archsimd.Int32x16
)

// A column whose first numbers are those of a register, and a group of which the
// first are; the stages read and write v. The compiler makes one instruction of
// that, with a distance from a pointer that the loops move along. An index in place
// of the pointer would take two more for each, and a function for loading one that
// does nothing, to mark where it was inlined.
type (
	column16[V any] struct {
		v V
		_ [columnLength - 16]uint32
	}
	register16[V any] struct{ v V }
	columns16         columnsOf[column16[floats16], column16[words16], column16[ints16]]
	camera16          = cameraLanes[register16[floats16]]
	constants16       = constantsOf[register16[floats16], register16[words16]]
)

var constantLanes16 = (*constants16)(unsafe.Pointer(constants))

func spreadInt16(x int32) ints16 { return archsimd.BroadcastInt32x16(x) }

// lanes16 returns a bit for each of n lanes, at most sixteen.
func lanes16(n int) uint { return 1<<uint(min(n, 16)) - 1 }

// newPick16 selects the lanes whose bits are set. Compress puts them side by side;
// what follows them means nothing.
func newPick16(lanes uint) archsimd.Mask32x16 { return archsimd.Mask32x16FromBits(uint16(lanes)) }
