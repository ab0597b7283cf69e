//go:build !purego

package tree

import (
	"math/bits"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Where a ray has its three coordinates, for the assembly.
const (
	rayOrigin    = unsafe.Offsetof(Ray{}.Origin)
	rayDirection = unsafe.Offsetof(Ray{}.Direction)

	_ = rayOrigin + rayDirection // or they were unused, outside of the assembly
)

var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ &&
		cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT
)

// walkKernel names what walk takes.
func walkKernel() string {
	switch {
	case hasAVX512:
		return "avx512"
	case hasAVX2:
		return "avx2"
	}
	return "plain"
}

// walk is walkGeneric, sixteen or eight boxes or spheres at a time if the
// processor can.
func (s *search) walk(r *Ray, tMin float32) {
	switch {
	case hasAVX512:
		walkAVX512(s, r, tMin)
	case hasAVX2:
		walkAVX2(s, r, tMin)
	default:
		s.walkGeneric(r, tMin)
	}
}

//go:noescape
func walkAVX512(s *search, r *Ray, tMin float32)

//go:noescape
func walkAVX2(s *search, r *Ray, tMin float32)

// picks has the numbers of the lanes for each set of eight lanes.
//
//lint:ignore U1000 the assembly reads it
var picks = func() (p [256][8]uint8) {
	for lanes := range p {
		for n, rest := 0, uint(lanes); rest != 0; n, rest = n+1, rest&(rest-1) {
			p[lanes][n] = uint8(bits.TrailingZeros(rest))
		}
	}
	return p
}()
