package kernels

import (
	"math"
	"math/bits"
)

func sum(x []float32) float32 {
	var s [sums]float32
	for ; len(x) >= sums; x = x[sums:] {
		for i, v := range x[:sums] {
			s[i] += v
		}
	}
	for i, v := range x {
		s[i] += v
	}
	return fold(s[:])
}

// fold adds the upper half of s to the lower one until one number is left.
func fold(s []float32) float32 {
	for n := len(s) / 2; n > 0; n /= 2 {
		for i, v := range s[n : 2*n] {
			s[i] += v
		}
	}
	return s[0]
}

func dot(x, y []float32) float32 {
	var s [sums]float32
	y = y[:len(x)]
	for ; len(x) >= sums; x, y = x[sums:], y[sums:] {
		for i, v := range x[:sums] {
			s[i] += float32(v * y[i]) // without float32(), arm64 and others round the sum alone
		}
	}
	for i, v := range x {
		s[i] += float32(v * y[i])
	}
	return fold(s[:])
}

func countByte(s []byte, c byte) int {
	n := 0
	for _, v := range s {
		if v == c {
			n++
		}
	}
	return n
}

func above(dst, src []float32, limit float32) int {
	n := 0
	for _, v := range src {
		dst[n] = v
		if v > limit {
			n++
		}
	}
	return n
}

func minIndex(x []float32) int {
	least, at := float32(math.Inf(1)), -1
	for i, v := range x {
		if v < least {
			least, at = v, i
		}
	}
	return at
}

func hamming(x, y []uint64) int {
	n := 0
	y = y[:len(x)]
	for i, v := range x {
		n += bits.OnesCount64(v ^ y[i])
	}
	return n
}

// minOfLanes is the end of a vectorized minIndex: values has the smallest number of
// each lane and vectors the number of the vector that it comes from, or -1; the
// vectors have had the first n elements of x.
func minOfLanes(values []float32, vectors []int32, x []float32, n int) int {
	least, at := float32(math.Inf(1)), -1
	for lane, v := range values {
		if vectors[lane] < 0 {
			continue
		}
		if i := int(vectors[lane])*len(values) + lane; v < least || v == least && i < at {
			least, at = v, i
		}
	}
	for i, v := range x[n:] {
		if v < least {
			least, at = v, n+i
		}
	}
	return at
}
