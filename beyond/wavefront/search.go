package wavefront

import (
	"math"

	"raysteps/common/mem"
)

// search is the memory of the kernels, and how they are told about the spheres.
// A pass goes over several groups of rays before the next pass begins. So it is
// known long before how many candidates a group has, and the processor, which
// cannot guess that, finds out before it has gone far the wrong way. The
// assembly knows the fields by their names.
type search struct {
	spheres
	// The candidates of a group are spheres that some of its rays may hit: their
	// numbers, counted from 1, and a bit for each of these rays. There is a list
	// for each group, with room for sixteen more than there are spheres, so that
	// sixteen can always be stored.
	candidates []uint32
	rays       []uint32
	stride     int // from list to list, in bytes; 0 if it is the same for all groups
	counts     [searchGroups]int
	// What the sieve reads: numbers of spheres, too. The list of a group begins so
	// many bytes into it.
	from       []uint32
	fromAt     [searchGroups]int
	fromCounts [searchGroups]int

	// The camera rays of the front come after the scattered ones, in bundles. Each
	// has one list for all of its groups.
	bundles []bundle
	shared  *search // of the equation for such a list; nothing else in it is used

	// Of balls around many spheres; nil if all are asked about.
	balls   *search
	numbers []uint32 // of all spheres
}

// searchGroups is how many groups a pass goes over.
const searchGroups = 16

// scattered returns how many rays of a front are none of the camera's.
func (s *search) scattered(f *front) int {
	if len(s.bundles) > 0 {
		return s.bundles[0].first
	}
	return f.n
}

// newSearch returns a search that asks every ray about every sphere.
func newSearch(s *spheres) *search {
	n := len(s.cx)
	all := &search{spheres: *s, candidates: numbers(n), rays: mem.Isolated[uint32](n + group)}
	for i := range all.rays {
		all.rays[i] = math.MaxUint32
	}
	for i := range all.counts {
		all.counts[i] = n
	}
	shared := *all
	shared.candidates = numbers(n)
	all.shared = &shared
	if !s.all {
		room := n + group
		all.from, all.fromCounts = all.candidates, all.counts
		all.candidates, all.rays = mem.Isolated[uint32](searchGroups*room), mem.Isolated[uint32](searchGroups*room)
		all.stride = room * 4
	}
	return all
}

// numbers returns a list of all of n spheres.
func numbers(n int) []uint32 {
	list := mem.Isolated[uint32](n + group)
	for i := range n {
		list[i] = uint32(i) + 1
	}
	return list
}
