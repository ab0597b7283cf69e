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
	scattered := s.scattered(f)
	for i := 0; i < scattered; i += searchGroups * group {
		c, groups := f.at(i), min(searchGroups, (scattered-i+group-1)/group)
		if !s.all {
			sideAVX512(s, c, groups)
			upAVX512(s, c, groups)
		}
		solveAVX512(s, c, groups)
	}
	// The last group of what comes before reaches into a bundle, so they are in the
	// order of their rays.
	for i := range s.bundles {
		b := &s.bundles[i]
		s.share(b)
		for j := 0; j < b.n; j += searchGroups * group {
			solveAVX512(s.shared, f.at(b.first+j), min(searchGroups, (b.n-j+group-1)/group))
		}
	}
}

func hitAVX2(s *search, f *front) {
	scattered := s.scattered(f)
	for i := 0; i < scattered; i += searchGroups * group {
		c, groups := f.at(i), min(searchGroups, (scattered-i+group-1)/group)
		if !s.all {
			sideAVX2(s, c, groups)
			upAVX2(s, c, groups)
		}
		solveAVX2(s, c, groups)
	}
	// The last group of what comes before reaches into a bundle, so they are in the
	// order of their rays.
	for i := range s.bundles {
		b := &s.bundles[i]
		s.share(b)
		for j := 0; j < b.n; j += searchGroups * group {
			solveAVX2(s.shared, f.at(b.first+j), min(searchGroups, (b.n-j+group-1)/group))
		}
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
