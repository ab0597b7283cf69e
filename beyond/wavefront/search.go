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
	stride     int // from list to list, in bytes
	bytes      [searchGroups]int
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
	if !s.all {
		list := mem.Isolated[candidate](searchGroups * (n + 8))
		return &search{spheres: *s, candidates: list, stride: (n + 8) * int(unsafe.Sizeof(candidate{}))}
	}
	all := &search{spheres: *s, candidates: mem.Isolated[candidate](n)}
	for i := range all.candidates {
		all.candidates[i] = candidate{uint32(i) + 1, math.MaxUint32}
	}
	for i := range all.bytes {
		all.bytes[i] = n * int(unsafe.Sizeof(candidate{}))
	}
	return all
}
