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
	floatColumn16 struct {
		v floats16
		_ [columnLength - 16]float32
	}
	wordColumn16 struct {
		v words16
		_ [columnLength - 16]uint32
	}
	intColumn16 struct {
		v ints16
		_ [columnLength - 16]int32
	}
	floatLanes16 struct{ v floats16 }
	wordLanes16  struct{ v words16 }
)

type (
	columns16   columnsOf[floatColumn16, wordColumn16, intColumn16, floatLanes16]
	constants16 = constantsOf[floatLanes16, wordLanes16]
)

var constantLanes16 = (*constants16)(unsafe.Pointer(constants))

// at16 is at for stages of 16 lanes.
func (f *front) at16(i int) *columns16 { return (*columns16)(unsafe.Pointer(f.at(i))) }

// after returns the columns that begin n rays later.
func (c *columns16) after(n int) *columns16 { return (*columns16)(unsafe.Add(unsafe.Pointer(c), n*4)) }

func (c *Camera) lanes16() *cameraLanes[floatLanes16] {
	return (*cameraLanes[floatLanes16])(unsafe.Pointer(&c.lanes))
}

func (s *surfaces) first16() *[8]floatLanes16 { return (*[8]floatLanes16)(unsafe.Pointer(&s.first)) }

func spread16(x float32) floats16       { return archsimd.BroadcastFloat32x16(x) }
func loadPart16(s []float32) floats16   { return *(*floats16)(unsafe.Pointer(&s[0])) }
func storePart16(s []uint32, x words16) { *(*words16)(unsafe.Pointer(&s[0])) = x }
func spreadWord16(x uint32) words16     { return archsimd.BroadcastUint32x16(x) }
func spreadInt16(x int32) ints16        { return archsimd.BroadcastInt32x16(x) }

// lanes16 returns a bit for each of n lanes, at most sixteen.
func lanes16(n int) uint {
	if n >= 16 {
		return 1<<16 - 1
	}
	return 1<<uint(n) - 1
}

// pick16 selects lanes. Compress puts them side by side; what follows them means
// nothing.
type pick16 = archsimd.Mask32x16

// newPick16 selects the lanes whose bits are set.
func newPick16(lanes uint) pick16 { return archsimd.Mask32x16FromBits(uint16(lanes)) }

func (b *beam) lanes16() *beamOf[floatLanes16] { return (*beamOf[floatLanes16])(unsafe.Pointer(b)) }

// sum16 and most16 put the sum of all lanes, and the largest, into all of them.

func sum16(k *constants16, x floats16) floats16 {
	x = x.Add(x.Permute(k.others[8].v))
	x = x.Add(x.Permute(k.others[4].v))
	x = x.Add(x.Permute(k.others[2].v))
	x = x.Add(x.Permute(k.others[1].v))
	return x
}

func most16(k *constants16, x floats16) floats16 {
	x = x.Max(x.Permute(k.others[8].v))
	x = x.Max(x.Permute(k.others[4].v))
	x = x.Max(x.Permute(k.others[2].v))
	x = x.Max(x.Permute(k.others[1].v))
	return x
}

func abs16(k *constants16, x floats16) floats16 {
	return x.AsUint32x16().And(k.allButSign.v).AsFloat32x16()
}
