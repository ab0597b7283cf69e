//go:build goexperiment.simd && amd64 && !purego

package wavefront

import "simd/archsimd"

// What the stages of AVX-512 and those of AVX2 do differently, or on operands of
// another size.

type (
	floats16 = archsimd.Float32x16
	words16  = archsimd.Uint32x16
	ints16   = archsimd.Int32x16
)

func load16(c *floats) floats16              { return loadFloats16((*[16]float32)(c[:])) }
func loadGroup16(c *[group]float32) floats16 { return loadFloats16((*[16]float32)(c[:])) }
func loadWords16(c *words) words16           { return loadUints16((*[16]uint32)(c[:])) }

func store16(v floats16, c *floats)              { storeFloats16(v, (*[16]float32)(c[:])) }
func storeGroup16(v floats16, c *[group]float32) { storeFloats16(v, (*[16]float32)(c[:])) }
func storeWords16(v words16, c *words)           { storeUints16(v, (*[16]uint32)(c[:])) }
func storeInts16(v ints16, c *ints)              { storeSigned16(v, (*[16]int32)(c[:])) }

func (s *spread) x16() floats16    { return loadFloats16((*[16]float32)(s[:])) }
func (s *spreadWord) x16() words16 { return loadUints16((*[16]uint32)(s[:])) }

func spread16(x float32) floats16     { return archsimd.BroadcastFloat32x16(x) }
func loadPart16(s []float32) floats16 { return loadFloats16((*[16]float32)(s)) }
func spreadWord16(x uint32) words16   { return archsimd.BroadcastUint32x16(x) }
func spreadInt16(x int32) ints16      { return archsimd.BroadcastInt32x16(x) }

// lanes16 returns a bit for each of n lanes, at most sixteen.
func lanes16(n int) uint {
	if n >= 16 {
		return 1<<16 - 1
	}
	return 1<<uint(n) - 1
}

// pick16 selects lanes.
type pick16 = archsimd.Mask32x16

// newPick16 selects the lanes whose bits are set.
func newPick16(lanes uint) pick16 { return archsimd.Mask32x16FromBits(uint16(lanes)) }

// compress16 puts the picked lanes side by side. What follows them means
// nothing.
func compress16(v floats16, p pick16) floats16    { return v.Compress(p) }
func compressWords16(v words16, p pick16) words16 { return v.Compress(p) }
func compressInts16(v ints16, p pick16) ints16    { return v.Compress(p) }
