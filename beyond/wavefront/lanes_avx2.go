//go:build goexperiment.simd && amd64 && !purego

package wavefront

import (
	"math/bits"
	"simd/archsimd"
)

type (
	floats8 = archsimd.Float32x8
	words8  = archsimd.Uint32x8
	ints8   = archsimd.Int32x8
)

func load8(c *floats) floats8              { return loadFloats8((*[8]float32)(c[:])) }
func loadGroup8(c *[group]float32) floats8 { return loadFloats8((*[8]float32)(c[:])) }
func loadWords8(c *words) words8           { return loadUints8((*[8]uint32)(c[:])) }

func store8(v floats8, c *floats)              { storeFloats8(v, (*[8]float32)(c[:])) }
func storeGroup8(v floats8, c *[group]float32) { storeFloats8(v, (*[8]float32)(c[:])) }
func storeWords8(v words8, c *words)           { storeUints8(v, (*[8]uint32)(c[:])) }
func storeInts8(v ints8, c *ints)              { storeSigned8(v, (*[8]int32)(c[:])) }

func (s *spread) x8() floats8    { return loadFloats8((*[8]float32)(s[:])) }
func (s *spreadWord) x8() words8 { return loadUints8((*[8]uint32)(s[:])) }

func spread8(x float32) floats8     { return archsimd.BroadcastFloat32x8(x) }
func loadPart8(s []float32) floats8 { return loadFloats8((*[8]float32)(s)) }
func spreadWord8(x uint32) words8   { return archsimd.BroadcastUint32x8(x) }
func spreadInt8(x int32) ints8      { return archsimd.BroadcastInt32x8(x) }

// lanes8 returns a bit for each of n lanes, at most eight.
func lanes8(n int) uint {
	if n >= 8 {
		return 1<<8 - 1
	}
	return 1<<uint(n) - 1
}

// pick8 selects lanes: it has the numbers of those that are picked, then
// anything. AVX2 has no instruction to compress, but one that permutes.
type pick8 = archsimd.Uint32x8

// newPick8 selects the lanes whose bits are set.
func newPick8(lanes uint) pick8 { return loadUints8(&picks[lanes]) }

var picks = func() (p [256][8]uint32) {
	for lanes := range p {
		n := 0
		for rest := uint(lanes); rest != 0; rest &= rest - 1 {
			p[lanes][n] = uint32(bits.TrailingZeros(rest))
			n++
		}
	}
	return p
}()

// compress8 puts the picked lanes side by side. What follows them means nothing.
func compress8(v floats8, p pick8) floats8    { return v.Permute(p) }
func compressWords8(v words8, p pick8) words8 { return v.Permute(p) }
func compressInts8(v ints8, p pick8) ints8    { return v.Permute(p) }

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
