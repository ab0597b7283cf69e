package tree

import "math"

// Visits returns how many nodes and groups the search for the first hit of a ray
// visits, besides the group of the large spheres.
func (t *Tracer) Visits(origin, direction [3]float32) (nodes, groups int) {
	s, r := newSearch(t.world), NewRay(vec3(origin), vec3(direction))
	s.closest(&r, tMin, math.MaxFloat32)
	return s.nodeVisits, s.groupVisits
}
