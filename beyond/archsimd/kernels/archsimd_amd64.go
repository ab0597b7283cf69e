//go:build goexperiment.simd && !purego

package kernels

import (
	"math"
	"math/bits"
	"simd/archsimd"
)

func init() {
	if archsimd.X86.AVX2() {
		all = append(all, Kernels{
			Way: "archsimd", Bits: 256, Sums: sums,
			Sum: sum256, Dot: dot256, CountByte: countByte256,
			Above: above256, MinIndex: minIndex256, Hamming: hamming256,
		})
	}
	if archsimd.X86.AVX512() {
		k := Kernels{
			Way: "archsimd", Bits: 512, Sums: sums,
			Sum: sum512, Dot: dot512, CountByte: countByte512,
			Above: above512, MinIndex: minIndex512, Hamming: hamming256,
		}
		if archsimd.X86.AVX512VPOPCNTDQ() {
			k.Hamming = hamming512
		}
		all = append(all, k)
	}
}

// Every function ends with ClearAVXUpperBits: the SSE instructions of ordinary Go
// code are slow while the upper parts of the registers are in use.

func sum256(x []float32) float32 {
	var a, b, c, d archsimd.Float32x8
	// Written like this, nothing is checked in the loop, and offsets are fixed.
	for ; len(x) >= 32; x = x[32:] {
		a = a.Add(load8(x[:8]))
		b = b.Add(load8(x[8:16]))
		c = c.Add(load8(x[16:24]))
		d = d.Add(load8(x[24:32]))
	}
	// What is left is filled up with zeros, which do not change a sum. The methods for
	// parts of a vector read past the end of a slice in Go 1.27.
	var v [32]float32
	if copy(v[:], x) > 0 {
		a = a.Add(load8(v[:8]))
		b = b.Add(load8(v[8:16]))
		c = c.Add(load8(v[16:24]))
		d = d.Add(load8(v[24:32]))
	}
	return fold8(a.Add(c).Add(b.Add(d)))
}

func sum512(x []float32) float32 {
	var a, b archsimd.Float32x16
	for ; len(x) >= 32; x = x[32:] {
		a = a.Add(load16(x[:16]))
		b = b.Add(load16(x[16:32]))
	}
	var v [32]float32
	if copy(v[:], x) > 0 {
		a = a.Add(load16(v[:16]))
		b = b.Add(load16(v[16:32]))
	}
	a = a.Add(b)
	return fold8(a.GetLo().Add(a.GetHi()))
}

// fold8 adds up the eight numbers of x by halves.
func fold8(x archsimd.Float32x8) float32 {
	var s [4]float32
	store4(x.GetLo().Add(x.GetHi()), s[:])
	archsimd.ClearAVXUpperBits()
	return (s[0] + s[2]) + (s[1] + s[3])
}

func dot256(x, y []float32) float32 {
	var a, b, c, d archsimd.Float32x8
	for ; len(x) >= 32 && len(y) >= 32; x, y = x[32:], y[32:] {
		a = a.Add(load8(x[:8]).Mul(load8(y[:8])))
		b = b.Add(load8(x[8:16]).Mul(load8(y[8:16])))
		c = c.Add(load8(x[16:24]).Mul(load8(y[16:24])))
		d = d.Add(load8(x[24:32]).Mul(load8(y[24:32])))
	}
	var v, w [32]float32
	if copy(w[:], y[:copy(v[:], x)]) > 0 {
		a = a.Add(load8(v[:8]).Mul(load8(w[:8])))
		b = b.Add(load8(v[8:16]).Mul(load8(w[8:16])))
		c = c.Add(load8(v[16:24]).Mul(load8(w[16:24])))
		d = d.Add(load8(v[24:32]).Mul(load8(w[24:32])))
	}
	return fold8(a.Add(c).Add(b.Add(d)))
}

func dot512(x, y []float32) float32 {
	var a, b archsimd.Float32x16
	for ; len(x) >= 32 && len(y) >= 32; x, y = x[32:], y[32:] {
		a = a.Add(load16(x[:16]).Mul(load16(y[:16])))
		b = b.Add(load16(x[16:32]).Mul(load16(y[16:32])))
	}
	var v, w [32]float32
	if copy(w[:], y[:copy(v[:], x)]) > 0 {
		a = a.Add(load16(v[:16]).Mul(load16(w[:16])))
		b = b.Add(load16(v[16:32]).Mul(load16(w[16:32])))
	}
	a = a.Add(b)
	return fold8(a.GetLo().Add(a.GetHi()))
}

func countByte256(s []byte, c byte) int {
	wanted := archsimd.BroadcastUint8x32(c)
	n := 0
	for ; len(s) >= 32; s = s[32:] {
		n += bits.OnesCount32(loadBytes32(s[:32]).Equal(wanted).ToBits())
	}
	archsimd.ClearAVXUpperBits()
	return n + countByte(s, c)
}

func countByte512(s []byte, c byte) int {
	wanted := archsimd.BroadcastUint8x64(c)
	n := 0
	for ; len(s) >= 64; s = s[64:] {
		n += bits.OnesCount64(loadBytes64(s[:64]).Equal(wanted).ToBits())
	}
	archsimd.ClearAVXUpperBits()
	return n + countByte(s, c)
}

// packing has for each mask the lanes whose bits are set, packed to the front.
var packing = func() (p [256][8]uint32) {
	for mask := range p {
		n := 0
		for lane := range uint32(8) {
			if mask>>lane&1 != 0 {
				p[mask][n] = lane
				n++
			}
		}
	}
	return p
}()

func above256(dst, src []float32, limit float32) int {
	least := archsimd.BroadcastFloat32x8(limit)
	n, i := uint(0), 0
	for ; i <= len(src)-8; i += 8 {
		x := load8(src[i : i+8])
		mask := x.Greater(least).ToBits()
		// All eight are stored, and those after the ones that count are written over
		// later. n is never more than i, so there is room.
		store8(x.Permute(loadIndices8(&packing[mask])), dst[n:])
		n += uint(bits.OnesCount8(mask))
	}
	archsimd.ClearAVXUpperBits()
	return int(n) + above(dst[n:], src[i:], limit)
}

func above512(dst, src []float32, limit float32) int {
	least := archsimd.BroadcastFloat32x16(limit)
	n, i := uint(0), 0
	for ; i <= len(src)-16; i += 16 {
		x := load16(src[i : i+16])
		mask := x.Greater(least)
		store16(x.Compress(mask), dst[n:])
		n += uint(bits.OnesCount16(mask.ToBits()))
	}
	archsimd.ClearAVXUpperBits()
	return int(n) + above(dst[n:], src[i:], limit)
}

func minIndex256(x []float32) int {
	least := archsimd.BroadcastFloat32x8(float32(math.Inf(1)))
	at := archsimd.BroadcastInt32x8(-1) // number of the vector that each lane's least comes from
	now, one := archsimd.BroadcastInt32x8(0), archsimd.BroadcastInt32x8(1)
	i := 0
	for ; i <= len(x)-8; i += 8 {
		v := load8(x[i : i+8])
		less := v.Less(least)
		least, at = v.Merge(least, less), now.Merge(at, less)
		now = now.Add(one)
	}
	var values [8]float32
	var vectors [8]int32
	store8(least, values[:])
	storeInt8(at, vectors[:])
	archsimd.ClearAVXUpperBits()
	return minOfLanes(values[:], vectors[:], x, i)
}

func minIndex512(x []float32) int {
	least := archsimd.BroadcastFloat32x16(float32(math.Inf(1)))
	at := archsimd.BroadcastInt32x16(-1)
	now, one := archsimd.BroadcastInt32x16(0), archsimd.BroadcastInt32x16(1)
	i := 0
	for ; i <= len(x)-16; i += 16 {
		v := load16(x[i : i+16])
		less := v.Less(least)
		least, at = v.Merge(least, less), now.Merge(at, less)
		now = now.Add(one)
	}
	var values [16]float32
	var vectors [16]int32
	store16(least, values[:])
	storeInt16(at, vectors[:])
	archsimd.ClearAVXUpperBits()
	return minOfLanes(values[:], vectors[:], x, i)
}

// counts has the number of bits in each number of four bits, twice: a permutation
// looks up within sixteen bytes.
var counts = [32]uint8{
	0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
	0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
}

func hamming256(x, y []uint64) int {
	table := loadBytes32(counts[:])
	low := archsimd.BroadcastUint8x32(15)
	var sum archsimd.Uint64x4
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		v := loadWords4(x[:4]).Xor(loadWords4(y[:4]))
		lower := table.PermuteOrZeroGrouped(v.AsUint8x32().And(low).AsInt8x32())
		upper := table.PermuteOrZeroGrouped(v.ShiftAllRight(4).AsUint8x32().And(low).AsInt8x32())
		sum = sum.Add(sumOf8(lower.Add(upper)))
	}
	var s [4]uint64
	storeWords4(sum, s[:])
	archsimd.ClearAVXUpperBits()
	return int(s[0]+s[1]+s[2]+s[3]) + hamming(x, y)
}

func hamming512(x, y []uint64) int {
	var sum archsimd.Uint64x8
	for ; len(x) >= 8 && len(y) >= 8; x, y = x[8:], y[8:] {
		sum = sum.Add(loadWords8(x[:8]).Xor(loadWords8(y[:8])).OnesCount())
	}
	var s [4]uint64
	storeWords4(sum.GetLo().Add(sum.GetHi()), s[:])
	archsimd.ClearAVXUpperBits()
	return int(s[0]+s[1]+s[2]+s[3]) + hamming(x, y)
}
