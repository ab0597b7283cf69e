package tree

import "math"

// item is a sphere that waits for its place in the tree.
type item struct {
	at     [3]float32 // the center
	radius float32    // enlarged as the comment on node says
	index  int32      // in the scene
}

// bounds is a box around some spheres. The upper corner is negated, so that both
// are minima, which take half as many instructions as maxima.
type bounds struct {
	lo, minusHi [3]float32
	count       int // of the spheres
}

// empty is inside out, so that joining it changes nothing.
var empty = bounds{lo: [3]float32{1e30, 1e30, 1e30}, minusHi: [3]float32{1e30, 1e30, 1e30}}

func (b *bounds) join(c *bounds) {
	for i := range b.lo {
		b.lo[i], b.minusHi[i] = min(b.lo[i], c.lo[i]), min(b.minusHi[i], c.minusHi[i])
	}
	b.count += c.count
}

func (b *bounds) add(it *item) {
	x, y, z, r := it.at[0], it.at[1], it.at[2], it.radius
	b.lo[0], b.minusHi[0] = min(b.lo[0], x-r), min(b.minusHi[0], -x-r)
	b.lo[1], b.minusHi[1] = min(b.lo[1], y-r), min(b.minusHi[1], -y-r)
	b.lo[2], b.minusHi[2] = min(b.lo[2], z-r), min(b.minusHi[2], -z-r)
	b.count++
}

func boundsOf(items []item) bounds {
	b := empty
	for i := range items {
		b.add(&items[i])
	}
	return b
}

// area returns half of the surface.
func (b *bounds) area() float32 {
	x, y, z := -b.minusHi[0]-b.lo[0], -b.minusHi[1]-b.lo[1], -b.minusHi[2]-b.lo[2]
	return float32(x*y) + float32(y*z) + float32(z*x) // not fused anywhere
}

// set is spheres that become a group, or are divided.
type set struct {
	items  []item
	depth  int // how often the set of all was divided
	bounds bounds
}

// border is a place to divide a set at: along an axis, where scale bins are a unit
// of length, before a bin. On either side there are left and right.
type border struct {
	cost, scale float32
	axis, bin   int
	left, right bounds
}

// split divides the set in two. It tries the borders of so many bins along an axis
// and takes the one of the least cost (Wald 2007). A ray that meets a box meets a
// smaller one within it with a probability of the areas' ratio, and then the
// spheres cost as much as their groups, as full as they can be. Of many spheres it
// asks a sample.
func (s *set) split() (left, right set) {
	best, stride := border{cost: infinity, axis: -1}, 1+len(s.items)/sample
	if s.depth < halvesFrom {
		for axis := range 3 {
			s.try(axis, stride, &best)
		}
	}
	half := 0
	for i := range s.items {
		// No branch depends on the side of an item.
		it, before := s.items[i], 0
		if best.axis >= 0 && s.bin(&it, best.axis, best.scale) < best.bin {
			before = 1
		}
		s.items[i], s.items[half] = s.items[half], it
		half += before
	}
	if best.axis < 0 {
		half = len(s.items) / 2
	}
	l, r := s.items[:half], s.items[half:]
	if best.axis < 0 || stride > 1 {
		best.left, best.right = boundsOf(l), boundsOf(r)
	}
	return set{l, s.depth + 1, best.left}, set{r, s.depth + 1, best.right}
}

// bin returns the bin of a sphere, of which there are scale in a unit of length.
func (s *set) bin(it *item, axis int, scale float32) int {
	return min(s.bins()-1, int((it.at[axis]-s.bounds.lo[axis])*scale))
}

// bins returns how many bins split tries. Fewer leave groups that are not full, and
// more take time where there are few spheres.
func (s *set) bins() int { return min(bins, max(bins/2, len(s.items)/4)) }

// try puts spheres into bins along an axis, and looks for a border between two bins
// that costs less than the best so far.
func (s *set) try(axis, stride int, best *border) {
	n := s.bins()
	scale := float32(n) / (-s.bounds.minusHi[axis] - s.bounds.lo[axis])
	if !(scale <= math.MaxFloat32) {
		return // the centers are at one place along the axis, or too close to tell apart
	}
	var all, left [bins]bounds // of each bin, and of those before it
	for k := range n {
		all[k] = empty
	}
	for i := 0; i < len(s.items); i += stride {
		it := &s.items[i]
		all[s.bin(it, axis, scale)].add(it)
	}
	left[0] = empty
	for k := range n - 1 {
		left[k+1] = left[k]
		left[k+1].join(&all[k])
	}
	cost := func(b *bounds) float32 { return float32(b.area() * float32((b.count*stride+lanes-1)/lanes)) }
	right := empty
	for k := n - 1; k > 0; k-- {
		right.join(&all[k])
		if left[k].count == 0 || right.count == 0 {
			continue
		}
		if c := cost(&left[k]) + cost(&right); c < best.cost {
			*best = border{c, scale, axis, k, left[k], right}
		}
	}
}
