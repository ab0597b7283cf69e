//go:build !purego

package kernels

import (
	"bytes"

	"golang.org/x/sys/cpu"
)

func init() {
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasPOPCNT {
		all = append(all, Kernels{
			Way: "assembly", Bits: 512, Sums: sums,
			Sum: sumAVX512, Dot: dotAVX512, CountByte: countByteStd,
			Above: aboveAVX512, MinIndex: minIndexAssembly, Hamming: hammingAVX512,
		})
	}
}

//go:noescape
func sumAVX512(x []float32) float32

//go:noescape
func dotAVX512(x, y []float32) float32

//go:noescape
func aboveAVX512(dst, src []float32, limit float32) int

//go:noescape
func minLanesAVX512(x []float32, values *[16]float32, vectors *[16]int32)

//go:noescape
func hammingAVX512(x, y []uint64) int

// countByteStd needs no assembly of ours: the standard library has it.
func countByteStd(s []byte, c byte) int { return bytes.Count(s, []byte{c}) }

func minIndexAssembly(x []float32) int {
	var values [16]float32
	var vectors [16]int32
	minLanesAVX512(x, &values, &vectors)
	return minOfLanes(values[:], vectors[:], x, len(x))
}
