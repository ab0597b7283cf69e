//go:build goexperiment.simd && go1.27 && (amd64 || arm64 || wasm) && !purego

package kernels

import (
	"math"
	"simd"
	"slices"
)

// The compiler makes a function of each of these for every width that the processors
// of an architecture have, and a program picks one when it starts. The width is a
// variable, n.

func init() {
	if !simd.Emulated() { // without vectors in the processor, plain Go is faster
		all = slices.Insert(all, 1, portable) // the others are better, in whatever order files are
	}
}

var portable = Kernels{
	Way: "simd", Bits: simd.VectorBitSize(), Sums: 4 * simd.VectorBitSize() / 32,
	Sum: sumSIMD, Dot: dotSIMD, CountByte: countByteSIMD,
	Above: aboveSIMD, MinIndex: minIndexSIMD, Hamming: hammingSIMD,
}

// widest is the number of float32 in the widest vector, 512 bits.
const widest = 16

func sumSIMD(x []float32) float32 {
	var a, b, c, d simd.Float32s
	n := a.Len()
	for ; len(x) >= 4*n; x = x[4*n:] {
		a = a.Add(simd.LoadFloat32s(x))
		b = b.Add(simd.LoadFloat32s(x[n:]))
		c = c.Add(simd.LoadFloat32s(x[2*n:]))
		d = d.Add(simd.LoadFloat32s(x[3*n:]))
	}
	// What is left is filled up with zeros, which do not change a sum. LoadFloat32sPart
	// reads past the end of a slice in Go 1.27.
	var v [4 * widest]float32
	if copy(v[:], x) > 0 {
		a = a.Add(simd.LoadFloat32s(v[:]))
		b = b.Add(simd.LoadFloat32s(v[n:]))
		c = c.Add(simd.LoadFloat32s(v[2*n:]))
		d = d.Add(simd.LoadFloat32s(v[3*n:]))
	}
	var s [widest]float32
	a.Add(c).Add(b.Add(d)).Store(s[:])
	clearUppers()
	return fold(s[:n])
}

func dotSIMD(x, y []float32) float32 {
	var a, b, c, d simd.Float32s
	n := a.Len()
	for ; len(x) >= 4*n && len(y) >= 4*n; x, y = x[4*n:], y[4*n:] {
		a = a.Add(simd.LoadFloat32s(x).Mul(simd.LoadFloat32s(y)))
		b = b.Add(simd.LoadFloat32s(x[n:]).Mul(simd.LoadFloat32s(y[n:])))
		c = c.Add(simd.LoadFloat32s(x[2*n:]).Mul(simd.LoadFloat32s(y[2*n:])))
		d = d.Add(simd.LoadFloat32s(x[3*n:]).Mul(simd.LoadFloat32s(y[3*n:])))
	}
	var v, w [4 * widest]float32
	if copy(w[:], y[:copy(v[:], x)]) > 0 {
		a = a.Add(simd.LoadFloat32s(v[:]).Mul(simd.LoadFloat32s(w[:])))
		b = b.Add(simd.LoadFloat32s(v[n:]).Mul(simd.LoadFloat32s(w[n:])))
		c = c.Add(simd.LoadFloat32s(v[2*n:]).Mul(simd.LoadFloat32s(w[2*n:])))
		d = d.Add(simd.LoadFloat32s(v[3*n:]).Mul(simd.LoadFloat32s(w[3*n:])))
	}
	var s [widest]float32
	a.Add(c).Add(b.Add(d)).Store(s[:])
	clearUppers()
	return fold(s[:n])
}

// A mask has no method that returns its bits or counts them. As integers its lanes are
// 0 or -1, so to subtract them counts.

func countByteSIMD(s []byte, c byte) int {
	wanted := simd.BroadcastUint8s(c)
	n := wanted.Len()
	total := 0
	for len(s) >= n {
		// A lane counts to 255 at most.
		var counts simd.Uint8s
		for turns := 255; turns > 0 && len(s) >= n; turns-- {
			counts = counts.Sub(simd.LoadUint8s(s).Equal(wanted).ToInt8s().ToBits())
			s = s[n:]
		}
		var lanes [4 * widest]uint8
		counts.Store(lanes[:])
		for _, count := range lanes {
			total += int(count)
		}
	}
	clearUppers()
	return total + countByte(s, c)
}

// There is no method that moves numbers from lane to lane, so they are copied one by
// one, and only the comparison is by vectors.
func aboveSIMD(dst, src []float32, limit float32) int {
	least := simd.BroadcastFloat32s(limit)
	n := least.Len()
	count := 0
	for ; len(src) >= n; src = src[n:] {
		var taken [widest]int32
		simd.LoadFloat32s(src).Greater(least).ToInt32s().Store(taken[:])
		for i, v := range src[:n] {
			dst[count] = v
			count -= int(taken[i%widest])
		}
	}
	clearUppers()
	return count + above(dst[count:], src, limit)
}

func minIndexSIMD(x []float32) int {
	least := simd.BroadcastFloat32s(float32(math.Inf(1)))
	at := simd.BroadcastInt32s(-1) // number of the vector that each lane's least comes from
	now, one := simd.BroadcastInt32s(0), simd.BroadcastInt32s(1)
	n, i := least.Len(), 0
	for ; i <= len(x)-n; i += n {
		v := simd.LoadFloat32s(x[i:])
		less := v.Less(least)
		least, at = v.IfElse(less, least), now.IfElse(less, at)
		now = now.Add(one)
	}
	var values [widest]float32
	var vectors [widest]int32
	least.Store(values[:])
	at.Store(vectors[:])
	clearUppers()
	return minOfLanes(values[:n], vectors[:n], x, i)
}

// No method counts bits, so they are added up by pairs, fours and eights, within words.
func hammingSIMD(x, y []uint64) int {
	pairs := simd.BroadcastUint64s(0x5555555555555555)
	fours := simd.BroadcastUint64s(0x3333333333333333)
	eights := simd.BroadcastUint64s(0x0F0F0F0F0F0F0F0F)
	halves := simd.BroadcastUint64s(0x00FF00FF00FF00FF)
	var sum simd.Uint64s // in groups of 16 bits
	n := sum.Len()
	total := 0
	for len(x) >= n && len(y) >= n {
		sum = simd.BroadcastUint64s(0)
		// Each turn adds 16 at most to a group.
		for turns := 4095; turns > 0 && len(x) >= n && len(y) >= n; turns-- {
			v := simd.LoadUint64s(x).Xor(simd.LoadUint64s(y))
			v = v.Sub(v.ShiftAllRight(1).And(pairs))
			v = v.And(fours).Add(v.ShiftAllRight(2).And(fours))
			v = v.Add(v.ShiftAllRight(4)).And(eights)
			sum = sum.Add(v.And(halves)).Add(v.ShiftAllRight(8).And(halves))
			x, y = x[n:], y[n:]
		}
		var words [widest / 2]uint64
		sum.Store(words[:])
		for _, w := range words {
			total += int(w&0xFFFF + w>>16&0xFFFF + w>>32&0xFFFF + w>>48)
		}
	}
	clearUppers()
	return total + hamming(x, y)
}
