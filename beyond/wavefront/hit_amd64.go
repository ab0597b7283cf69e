//go:build !purego

package wavefront

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// What the kernels need. The other stages of AVX-512 need more.
var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = cpu.X86.HasAVX512F
)

// hitAVX512 and hitAVX2 are hitPlain in three passes, each of which goes over
// some groups of the rays that start at c.

func hitAVX512(s *search, f *front) {
	for i := 0; i < f.n; i += searchGroups * group {
		c, groups := f.at(i), min(searchGroups, (f.n-i+group-1)/group)
		if !s.all {
			sideAVX512(s, c, groups)
			upAVX512(s, c, groups)
		}
		solveAVX512(s, c, groups)
	}
}

func hitAVX2(s *search, f *front) {
	for i := 0; i < f.n; i += searchGroups * group {
		c, groups := f.at(i), min(searchGroups, (f.n-i+group-1)/group)
		if !s.all {
			sideAVX2(s, c, groups)
			upAVX2(s, c, groups)
		}
		solveAVX2(s, c, groups)
	}
}

//go:noescape
func sideAVX512(s *search, c *columns, groups int)

//go:noescape
func upAVX512(s *search, c *columns, groups int)

//go:noescape
func solveAVX512(s *search, c *columns, groups int)

//go:noescape
func sideAVX2(s *search, c *columns, groups int)

//go:noescape
func upAVX2(s *search, c *columns, groups int)

//go:noescape
func solveAVX2(s *search, c *columns, groups int)

// at returns the columns from a ray on, so that a group of lanes is always at
// the same distance from a pointer. That takes fewer instructions, and there is
// nothing to check: the number of the ray must be from 0 to capacity.
func (f *front) at(i int) *columns {
	return (*columns)(unsafe.Add(unsafe.Pointer(&f.columns), i*int(unsafe.Sizeof(f.ox[0]))))
}
