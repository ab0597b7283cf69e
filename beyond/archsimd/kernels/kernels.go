// Package kernels has six loops that programs really have, each written in plain Go,
// in assembly where that stands to gain, in simd/archsimd at 256 and 512 bits, and in
// the portable package simd:
//
//	plain.go            plain Go: the fallback, and what the others are tested against
//	assembly_amd64.s    AVX-512; Go code calls it through assembly_amd64.go
//	archsimd_amd64.go   simd/archsimd: Go 1.26, GOEXPERIMENT=simd, amd64
//	simd.go             simd: Go 1.27, GOEXPERIMENT=simd, amd64, arm64 and wasm
//
// Each of these files adds to a list, when a program starts, what is built and what
// the processor can run, so a file that is not built needs no stand-in. Sum and the
// other exported functions take the last of the list.
package kernels

// Kernels are the six loops written in one way, for one width.
type Kernels struct {
	Way  string // plain, assembly, archsimd or simd
	Bits int    // of a vector; 64 in plain Go
	Sums int    // running sums of Sum and Dot

	Sum       func(x []float32) float32
	Dot       func(x, y []float32) float32
	CountByte func(s []byte, c byte) int
	Above     func(dst, src []float32, limit float32) int
	MinIndex  func(x []float32) int
	Hamming   func(x, y []uint64) int
}

// sums is the number of running sums of all ways but simd, whose vectors have no
// fixed width. Number i goes to sum i%sums, and the sums are added up by halves, so
// the result is the same to the bit at every width.
const sums = 32

// all are the ways of writing that this build and this processor have.
var all = []Kernels{{
	Way: "plain", Bits: 64, Sums: sums,
	Sum: sum, Dot: dot, CountByte: countByte, Above: above, MinIndex: minIndex, Hamming: hamming,
}}

func best() *Kernels { return &all[len(all)-1] }

// Sum adds the numbers of x, not in their order: as sums says.
func Sum(x []float32) float32 { return best().Sum(x) }

// Dot adds the products of the numbers of x and y, each rounded, as Sum does. It
// panics if y is shorter than x.
func Dot(x, y []float32) float32 { return best().Dot(x, y[:len(x)]) }

// CountByte counts c in s.
func CountByte(s []byte, c byte) int { return best().CountByte(s, c) }

// Above copies the numbers of src that are greater than limit to dst, in their order,
// and returns how many there are. What dst had at other places may be lost. It panics
// if dst is shorter than src; they may be the same slice.
func Above(dst, src []float32, limit float32) int { return best().Above(dst[:len(src)], src, limit) }

// MinIndex returns the index of the smallest number in x, the first of several; or -1
// if none is less than +Inf. NaN is not.
func MinIndex(x []float32) int { return best().MinIndex(x) }

// Hamming counts the bits in which x and y differ. It panics if y is shorter than x.
func Hamming(x, y []uint64) int { return best().Hamming(x, y[:len(x)]) }
