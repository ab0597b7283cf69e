package wavefront

import (
	"math"
	"unsafe"

	"raysteps/common/mem"
)

// search is the memory of the kernels, and how they are told about the spheres.
// A pass goes over several groups of rays before the next pass begins. So it is
// known long before how many candidates a group has, and the processor, which
// cannot guess that, finds out before it has gone far the wrong way. The
// assembly knows the fields by their names.
type search struct {
	spheres
	// What is left of the spheres after a pass: a list for each group, and how
	// many bytes of it. There is room for eight more than there are spheres, so
	// that one or eight can always be stored. If all spheres are candidates, the
	// list is the same for all groups.
	candidates []candidate
	// All spheres as candidates, for the first pass of AVX-512, which puts down the
	// rays. It has seven more, for which there are none.
	sides  []candidate
	stride int // from list to list, in bytes
	bytes  [searchGroups]int

	// The camera rays of the front come after the scattered ones, in bundles. Each
	// has one list for all of its groups.
	bundles []bundle
	lens    *lens
	cull    func(l *lens, b *bundle, list []candidate) int
	shared  *search // of the equation for such a list; nothing else in it is used
}

// scattered returns how many rays of a front are none of the camera's.
func (s *search) scattered(f *front) int {
	if len(s.bundles) > 0 {
		return s.bundles[0].first
	}
	return f.n
}

// share makes the list of a bundle.
func (s *search) share(b *bundle) {
	n := s.cull(s.lens, b, s.shared.candidates)
	for i := range s.shared.bytes {
		s.shared.bytes[i] = n * int(unsafe.Sizeof(candidate{}))
	}
}

// searchGroups is how many groups a pass goes over.
const searchGroups = 8

// candidate is a sphere that some rays of a group may hit.
type candidate struct {
	sphere uint32 // counted from 1
	rays   uint32 // bits for these rays; which, depends on the kernel
}

func newSearch(s *spheres) *search {
	n := len(s.cx)
	shared := &search{spheres: *s, candidates: mem.Isolated[candidate](n)}
	if !s.all {
		list := mem.Isolated[candidate](searchGroups * (n + 8))
		sides := mem.Isolated[candidate](n + 7)
		for i := range sides {
			sides[i].sphere = uint32(i) + 1
		}
		return &search{spheres: *s, candidates: list, sides: sides, stride: (n + 8) * int(unsafe.Sizeof(candidate{})), cull: cullPlain, shared: shared}
	}
	all := &search{spheres: *s, candidates: mem.Isolated[candidate](n), cull: cullPlain, shared: shared}
	for i := range all.candidates {
		all.candidates[i] = candidate{uint32(i) + 1, math.MaxUint32}
	}
	for i := range all.bytes {
		all.bytes[i] = n * int(unsafe.Sizeof(candidate{}))
	}
	return all
}
