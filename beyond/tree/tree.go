package tree

import (
	"math"
	"slices"
	"sync"
	"unsafe"

	"raysteps/step13"
)

const (
	lanes  = 16      // boxes or spheres that are tested at once
	large  = 4       // spheres outside of the tree, at most
	bins   = 64      // that split tries along an axis, at most
	sample = 1 << 11 // spheres of a set that split asks, about
	// Sets of so many spheres are divided by a goroutine each.
	concurrent = 1 << 14
	// From this depth on, sets are divided in halves, which takes twenty
	// divisions of MaxSpheres spheres.
	halvesFrom = 40
	// An element of the stack for all children of a node but one, in each depth.
	maxStack = (halvesFrom+20)*(lanes-1) + 1
)

// ref says where a node starts, counted in bytes from the first one; or, if it is
// negative, its complement says where a group starts.
type ref int32

const (
	nodeSize  = ref(unsafe.Sizeof(node{}))
	groupSize = ref(unsafe.Sizeof(group{}))
)

// noBox is the ref of a lane without a child: the large spheres, which have been
// visited. Its box is inside out, and no ray from a place that is a number meets it.
const noBox = ref(-1)

// node is boxes of up to sixteen children, in columns. The assembly knows the fields by
// their names, and that each column of lo is half of a node's planes before that
// of hi.
//
// A box holds all that the first pass may take for a hit on one of its spheres
// close by. Let V be the rounded vector of length L from the origin of the ray to the
// center of a sphere, r² its squared radius, and D the direction, | |D|²-1 | <= 11u,
// where u = 2^-24. Every operation rounds by a factor 1+e, |e| <= u (Higham 2002,
// chapters 2 and 3). Then nb is V·D with an error of 3uL, for a product and two fused
// sums; c is L² - r² with one of 3uL² for the same and u(L²+r²) for the difference; and
// the square, the discriminant, its root and the root t of the equation are rounded
// once each. Inserting t in the equation gives, how far its point is from the center,
//
//	x² <= r² + u(L² + 3r² + 2tr + 6tL + 4L²+r²) + 11ut²
//
// but for terms of u², which are less than ut²/4. Now L <= t + x, 2tr <= t²/4 + 4r² and
// 16tx <= t²/2 + 128x², so
//
//	x² <= r² + u(8r² + 23t² + 133x²)
//	x  <= r(1 + 72u) + 4.8√u t
//
// and V is rounded by no more than u(t+x). The boxes are around spheres of radius
// r(1 + 128u). The rest grows with the distance along the ray and with nothing else, as
// if the ray were a thin cone: newLine makes it one, by 5√u, and a box costs nothing
// for it.
type node struct {
	lo, hi [3][lanes]float32
	refs   [lanes]ref
}

// group is up to sixteen spheres, in the order of the scene. The lanes that are
// left are never hit. The assembly knows the fields by their names.
type group struct {
	cx, cy, cz, radiusSq [lanes]float32
	index                [lanes]int32 // in the scene
}

// tree is spheres by their places. The root is the first node.
type tree struct {
	nodes  []node
	groups []group // the first one holds the large spheres, in its first lanes
	// No sphere in a box has a point further than this from the origin of the
	// coordinates. The ground would make the boxes of a level ray as wide as the scene.
	reach float32
}

// index returns the number in the scene of the sphere at a place: counted in bytes,
// where its group starts and how far it is from there in a column.
func (t *tree) index(place ref) int32 {
	return *(*int32)(unsafe.Add(unsafe.Pointer(&t.groups[0]), uintptr(place)+unsafe.Offsetof(group{}.index)))
}

// few returns how many spheres the loop of step 13 takes sooner than a tree, in a cloud,
// where a tree gains least. In plain Go that is one group.
func few() int {
	if new(step13.Tracer).Kernel() == "plain" {
		return lanes
	}
	return 450
}

// newTree sorts spheres into a tree, at least one of them. The tree does not
// depend on the number of processors.
func newTree(spheres *SphereSoA) *tree {
	cx, cy, cz, radiusSq := spheres.CenterXPadded(), spheres.CenterYPadded(), spheres.CenterZPadded(), spheres.RadiusSqPadded()
	items := make([]item, spheres.Len())
	for i := range items {
		items[i] = item{[3]float32{cx[i], cy[i], cz[i]}, sqrt(radiusSq[i]) * (1 + 0x1p-17), int32(i)}
	}

	// The greatest spheres make the boxes around them wide. Many rays meet them, and their
	// hits are a good limit for the search of the others.
	boxed, reach, n := boundsOf(items), float32(0), 0
	for ; n < min(large, len(items)); n++ {
		for i := range items[n:] {
			if items[n+i].radius > items[n].radius {
				items[n], items[n+i] = items[n+i], items[n]
			}
		}
		if r := items[n].radius; 12*r*r <= boxed.area()/32 {
			break
		}
		boxed = boundsOf(items[n+1:])
	}
	for axis, lo := range boxed.lo {
		reach += max(0, -lo, -boxed.minusHi[axis])
	}
	// The children of a node lie side by side.
	inner, groups := []*part{newPart(set{items[n:], 0, boxed})}, 1
	for i := 0; i < len(inner); i++ {
		for _, p := range inner[i].children() {
			if p.left == nil {
				groups++
			} else {
				inner = append(inner, p)
			}
		}
	}
	t := &tree{nodes: huge[node](len(inner))[:0], groups: huge[group](groups)[:0], reach: reach}
	t.group(items[:n], radiusSq)
	next := 1
	for _, p := range inner {
		next = t.node(p.children(), next, radiusSq)
	}
	return t
}

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

// part is a set as a tree of divisions: a group, or two parts.
type part struct {
	set
	left, right *part // nil for a group
	// If the part is up to k children of a node: the least sum of the areas of all
	// boxes that a ray may have to visit, and how many of the children are of the left
	// part; 0 if the part is one child, a node of its own. Before the first is how
	// the children of that node are divided.
	cost  [lanes + 1]float32
	lefts [lanes + 1]int
}

// newPart divides a set down to groups.
func newPart(s set) *part {
	p, area := &part{set: s}, s.bounds.area()
	if len(s.items) <= lanes {
		for k := range p.cost {
			p.cost[k] = area
		}
		return p
	}
	left, right := s.split()
	if len(s.items) >= concurrent {
		var wg sync.WaitGroup
		wg.Go(func() { p.left = newPart(left) })
		p.right = newPart(right)
		wg.Wait()
	} else {
		p.left, p.right = newPart(left), newPart(right)
	}
	p.collapse(area)
	return p
}

// collapse finds out which divisions below the part are best left out, so that a node
// has up to sixteen children: if the ways to do it are known for both of its parts,
// all there are can be compared (Ylitie, Karras and Laine 2017).
func (p *part) collapse(area float32) {
	p.cost[1] = infinity
	for k := 2; k <= lanes; k++ {
		p.cost[k], p.lefts[k] = p.cost[k-1], p.lefts[k-1]
		for left := 1; left < k; left++ {
			if c := p.left.cost[left] + p.right.cost[k-left]; c < p.cost[k] {
				p.cost[k], p.lefts[k] = c, left
			}
		}
	}
	p.lefts[0] = p.lefts[lanes]
	node := area + p.cost[lanes]
	for k := 1; k <= lanes; k++ {
		if node <= p.cost[k] {
			p.cost[k], p.lefts[k] = node, 0
		}
	}
}

// children returns those of the node that the part becomes.
func (p *part) children() []*part {
	if len(p.items) == 0 {
		return nil // all spheres are large
	}
	return p.forest(make([]*part, 0, lanes), lanes, p.lefts[0])
}

// forest appends up to k parts of this one, so many of them of the left part.
func (p *part) forest(to []*part, k, left int) []*part {
	if left == 0 {
		return append(to, p)
	}
	to = p.left.forest(to, left, p.left.lefts[left])
	return p.right.forest(to, k-left, p.right.lefts[k-left])
}

// node makes a node of its children, and groups of those that are none. The others
// will be nodes from number next on; it returns the number after them.
func (t *tree) node(children []*part, next int, radiusSq []float32) int {
	var n node
	for k := range lanes {
		r, box := noBox, empty
		if k < len(children) {
			p := children[k]
			box = p.bounds
			if p.left == nil {
				r = t.group(p.items, radiusSq)
			} else {
				r = ref(next) * nodeSize
				next++
			}
		}
		n.refs[k] = r
		for axis, lo := range box.lo {
			hi := -box.minusHi[axis]
			n.lo[axis][k], n.hi[axis][k] = lo-abs(lo)*0x1p-21, hi+abs(hi)*0x1p-21
		}
	}
	t.nodes = append(t.nodes, n)
	return next
}

// group makes a group of up to sixteen spheres.
func (t *tree) group(items []item, radiusSq []float32) ref {
	r := ^(ref(len(t.groups)) * groupSize)
	var g group
	for k := range lanes {
		g.radiusSq[k] = -infinity
	}
	slices.SortFunc(items, func(a, b item) int { return int(a.index - b.index) })
	for k, it := range items {
		g.cx[k], g.cy[k], g.cz[k], g.radiusSq[k], g.index[k] = it.at[0], it.at[1], it.at[2], radiusSq[it.index], it.index
	}
	t.groups = append(t.groups, g)
	return r
}
