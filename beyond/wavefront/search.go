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
	// for each group, with room for sixteen more than there can be, so that sixteen can
	// always be stored.
	candidates []uint32
	rays       []uint32
	stride     int // from list to list, in bytes; 0 if it is the same for all groups
	groups     int // that a pass goes over: fewer where lists are long
	counts     [searchGroups]int
	//lint:ignore U1000 only the assembly needs it
	pairEnds [searchGroups]int // where the candidates that pairs has added end
	// The balls of sixteen spheres that the sieve asks about, counted from 0. The list of
	// a group begins so many bytes into it.
	from       []uint32
	fromAt     [searchGroups]int
	fromCounts [searchGroups]int
	// What the rays are in the planes across them: see across. Their directions follow, and
	// how far they are along them. A number takes a register of the form.
	across *[searchGroups][11]spread[float32]

	// The camera rays of the front come after the scattered ones, in bundles. Each
	// has one list for all of its groups.
	bundles []bundle
	shared  *search // of the equation for such a list; nothing else in it is used

	// Of balls around many spheres; nil if all are asked about. Its candidates are the balls
	// that many rays of a group meet. In place of rays it has those that others meet, as
	// pairs: 16 times the ball, and the ray.
	balls      *search
	pairCounts [searchGroups]int
	//lint:ignore U1000 the assembly for AVX2 reads it
	popular int // how many rays of a group must meet a ball that is no pairs
}

// searchGroups is how many groups a pass goes over, at most.
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
	all := &search{spheres: *s, candidates: numbers(n), groups: searchGroups}
	all.rays = mem.Isolated[uint32](n + group)
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
		all.from = mem.Isolated[uint32]((n + cluster - 1) / cluster)
		for i := range all.from {
			all.from[i] = uint32(i)
		}
		for i := range all.fromCounts {
			all.fromCounts[i] = len(all.from)
		}
		all.across = &mem.Isolated[[searchGroups][11]spread[float32]](1)[0]
		all.lists(len(all.from) * cluster)
	}
	return all
}

// lists makes room for a list of so many candidates for each group.
func (s *search) lists(n int) {
	room := n + group
	s.candidates, s.rays = mem.Isolated[uint32](s.groups*room), mem.Isolated[uint32](s.groups*room)
	s.stride = room * 4
}

// ask makes a search ask about balls first, and before that about balls of them, if there are.
func (s *search) ask(balls, nest *spheres) {
	room := len(balls.cx) * cluster
	s.groups = searchGroups / 4
	s.balls = &search{spheres: *balls, across: s.across, groups: s.groups, popular: popular}
	s.balls.lists(room)
	if nest == nil {
		s.lists((popular - 1) * room)
	} else { // each of eight rays may look to all spheres
		s.lists(8 * room)
		s.balls.balls = &search{spheres: *nest, across: s.across, groups: s.groups, popular: 8 + 1}
		s.balls.balls.lists(8 * len(nest.cx))
	}
	s.from = s.balls.candidates
	for i := range s.fromAt {
		s.fromAt[i] = i * s.balls.stride
	}
}

// newSpheres returns spheres without any, which have room for n and for as many as there are
// in a ball of balls; none of those after the last one is ever hit.
func newSpheres(n int) *spheres {
	const most = cluster * nesting
	room := (n + most - 1) / most * most
	column := func(x float32) []float32 {
		c := mem.Aligned[float32](room, mem.CacheLine)
		for i := range c {
			c[i] = x
		}
		return c[:0]
	}
	none := float32(math.Inf(-1))
	return &spheres{cx: column(0), cy: column(0), cz: column(0), reach: column(none), radiusSq: column(none)}
}

// numbers returns a list of all of n spheres.
func numbers(n int) []uint32 {
	list := mem.Isolated[uint32](n + group)
	for i := range n {
		list[i] = uint32(i) + 1
	}
	return list
}
