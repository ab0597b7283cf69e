//go:build goexperiment.simd && amd64 && !purego

package wavefront

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"raysteps/common/mem"
)

type (
	floats16 = archsimd.Float32x16
	words16  = archsimd.Uint32x16
	ints16   = archsimd.Int32x16
	mask16   = archsimd.Mask32x16
	pick16   = archsimd.Mask32x16

	// A column whose first numbers are those of a register, and a group of which the
	// first are; the stages read and write v. The compiler makes one instruction of
	// that, with a distance from a pointer that the loops move along. An index in
	// place of the pointer would take two more for each, and a function for loading
	// one that does nothing, to mark where it was inlined.
	column16[V any] struct {
		v V
		_ [columnLength - 16]uint32
	}
	register16[V any] struct{ v V }
	columns16         columnsOf[column16[floats16], column16[words16], column16[ints16]]
	constants16       = constantsOf[register16[floats16], register16[words16]]
)

var constantLanes16 = (*constants16)(unsafe.Pointer(constants))

func spreadInt16(x int32) ints16 { return archsimd.BroadcastInt32x16(x) }

// lanes16 returns a bit for each of n lanes, at most sixteen.
func lanes16(n int) uint { return 1<<uint(min(n, 16)) - 1 }

// newPick16 selects the lanes whose bits are set. Compress puts them side by side;
// what follows them means nothing.
func newPick16(lanes uint) pick16 { return archsimd.Mask32x16FromBits(uint16(lanes)) }

type (
	floats8 = archsimd.Float32x8
	words8  = archsimd.Uint32x8
	ints8   = archsimd.Int32x8
	mask8   = archsimd.Mask32x8
	pick8   = archsimd.Uint32x8

	// Columns and registers as in AVX-512.
	column8[V any] struct {
		v V
		_ [columnLength - 8]uint32
	}
	register8[V any] struct {
		v V
		_ [group - 8]uint32
	}
	columns8   columnsOf[column8[floats8], column8[words8], column8[ints8]]
	constants8 = constantsOf[register8[floats8], register8[words8]]
)

var constantLanes8 = (*constants8)(unsafe.Pointer(constants))

func spread8(x float32) floats8       { return archsimd.BroadcastFloat32x8(x) }
func loadPart8(s []float32) floats8   { return *(*floats8)(unsafe.Pointer(&s[0])) }
func loadWords8(s []uint32) words8    { return *(*words8)(unsafe.Pointer(&s[0])) }
func storePart8(s []uint32, x words8) { *(*words8)(unsafe.Pointer(&s[0])) = x }
func spreadWord8(x uint32) words8     { return archsimd.BroadcastUint32x8(x) }
func spreadInt8(x int32) ints8        { return archsimd.BroadcastInt32x8(x) }

// lanes8 returns a bit for each of n lanes, at most eight.
func lanes8(n int) uint { return 1<<uint(min(n, 8)) - 1 }

// newPick8 selects the lanes whose bits are set: their numbers, then anything. AVX2
// has no instruction to compress, but one that permutes: Permute is in the place of
// Compress.
func newPick8(lanes uint) pick8 { return *(*pick8)(unsafe.Pointer(&picks[lanes])) }

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

// constantsOf is the numbers that the stages in lanes need, each in all lanes of
// a register of a type. The stages read them from memory, which costs less than to
// spread them.
type constantsOf[F, W any] struct {
	zero, half, one, minusHalf, minusThreeTenths, minusTwo F
	toSymmetric, toUnit, toFixed                           F
	tiny, tMin, matte, glass                               F
	sin0, sin1, sin2, sin3, cos0, cos1, cos2, cos3, cos4   F

	mixA, mixB, wordZero, wordOne   W
	thirteen, sixteen, seventeen    W
	depthShift, depthMask, tileSize W
	column, row                     W // of a lane in a block
}

// constants begins at a page: a load and a store of a column that are a multiple of 4 KiB
// apart look the same to a processor, which costs two percent where chance has it so.
var constants = func() *constantsOf[spread[float32], spread[uint32]] {
	c := &mem.Aligned[constantsOf[spread[float32], spread[uint32]]](1, 4096)[0]
	number, word := newSpread[float32], newSpread[uint32]
	*c = constantsOf[spread[float32], spread[uint32]]{
		zero: number(0), half: number(0.5), one: number(1),
		minusHalf: number(-0.5), minusThreeTenths: number(-0.3), minusTwo: number(-2),
		toSymmetric: number(1.0 / (1 << 31)), toUnit: number(1.0 / (1 << 32)), toFixed: number(fixed),
		tiny: number(tiny), tMin: number(tMin), matte: number(matte), glass: number(glass),
		sin0: number(sin0), sin1: number(sin1), sin2: number(sin2), sin3: number(sin3),
		cos0: number(cos0), cos1: number(cos1), cos2: number(cos2), cos3: number(cos3), cos4: number(cos4),
		mixA: word(mixA), mixB: word(mixB), wordZero: word(0), wordOne: word(1),
		thirteen: word(13), sixteen: word(16), seventeen: word(17),
		depthShift: word(depthBits), depthMask: word(1<<depthBits - 1), tileSize: word(tileSize),
	}
	for i := range c.column {
		c.column[i], c.row[i] = uint32(i%blockSide), uint32(i/blockSide)
	}
	return c
}()
