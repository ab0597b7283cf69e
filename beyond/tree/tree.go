package tree

import (
	"math"
	"slices"
	"unsafe"

	"raysteps/common/mem"
)

const (
	lanes  = 16      // boxes or spheres that are tested at once
	large  = 4       // spheres outside of the tree, at most
	bins   = 16      // that split tries along an axis
	sample = 1 << 11 // spheres of a set that split asks, about
	// Below a node, a goroutine each builds the parts of so many spheres.
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
// close by. Let a sphere have center C and squared radius r², the ray origin O
// and a direction D with | |D|²-1 | <= 20u, where u = 2^-24, and let L = |C-O|.
// Every operation rounds by a factor 1+e, |e| <= u (Higham 2002, chapters 2 and
// 3). Then nb is (C-O)·D with an error of 4uL, for the subtraction, the product
// and two fused sums; c is L² - r² with one of 6uL²+ur²; and four more roundings
// follow before the root t is known. Inserting t in the equation of the sphere
// gives for its point P = O + tD, since t <= L + |P-C|, by (a+b)² <= 5/4 a² + 5 b²
// and ab <= a²/4 + b²,
//
//	|P-C|² <= r² + 4ur² + 7uL² + 22ut² + 10utL <= r²(1 + 124u) + 47uL²
//	|P-C|  <= r(1 + 62u) + min(7√u L, 24u L²/r)
//
// Now L <= t + |P-C|. The second term of the minimum is less than 7.02√u t + 24u r
// where L <= 1194r, and elsewhere r is less than a thousandth of t. So
//
//	|P-C| <= r(1 + 86u) + 7.02√u t
//
// The boxes are around spheres of radius r(1 + 128u). The rest grows with the
// distance along the ray and with nothing else, as if the ray were a thin cone:
// newLine makes it one, by 8√u, and a box costs nothing for it.
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
	// No sphere has a point further than this from the origin of the coordinates.
	reach float32
}

// index returns the number in the scene of the sphere at a place: counted in bytes,
// where its group starts and how far it is from there in a column.
func (t *tree) index(place ref) int32 {
	return *(*int32)(unsafe.Add(unsafe.Pointer(&t.groups[0]), uintptr(place)+unsafe.Offsetof(group{}.index)))
}

// few returns how many spheres the loop of step 13 takes sooner than a tree.
func few() int {
	if hasKernel {
		return 64
	}
	return lanes
}

// newTree sorts spheres into a tree, at least one of them. The tree does not
// depend on the number of processors.
func newTree(spheres *SphereSoA) *tree {
	cx, cy, cz, radiusSq := spheres.CenterX(), spheres.CenterY(), spheres.CenterZ(), spheres.RadiusSq()
	items := make([]item, spheres.Len())
	for i := range items {
		items[i] = item{[3]float32{cx[i], cy[i], cz[i]}, sqrt(radiusSq[i]) * (1 + 0x1p-17), int32(i)}
	}
	all, reach := boundsOf(items), float32(0)
	for axis, lo := range all.lo {
		reach += max(-lo, -all.minusHi[axis], lo, all.minusHi[axis])
	}

	// A sphere whose box is about as large as that of all is met by nearly all
	// rays, and its hits are a good limit for the search of the others.
	n := 0
	for i := 0; i < len(items) && n < large; i++ {
		if r := items[i].radius; 12*r*r > all.area()/16 {
			items[i], items[n] = items[n], items[i]
			n++
		}
	}
	b := newBuilder(len(items), radiusSq)
	b.group(items[:n])
	b.node(set{items[n:], 0, boundsOf(items[n:])})
	b.reach = reach
	return &b.tree
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
	return min(bins-1, int((it.at[axis]-s.bounds.lo[axis])*scale))
}

// try looks along an axis for a border that costs less than the best so far.
func (s *set) try(axis, stride int, best *border) {
	scale := bins / (-s.bounds.minusHi[axis] - s.bounds.lo[axis])
	if !(scale <= math.MaxFloat32) {
		return // all centers are at one place
	}
	var all, left [bins]bounds // of each bin, and of those before it
	for k := range all {
		all[k] = empty
	}
	for i := 0; i < len(s.items); i += stride {
		it := &s.items[i]
		all[s.bin(it, axis, scale)].add(it)
	}
	left[0] = empty
	for k := range bins - 1 {
		left[k+1] = left[k]
		left[k+1].join(&all[k])
	}
	cost := func(b *bounds) float32 { return float32(b.area() * float32((b.count*stride+lanes-1)/lanes)) }
	right := empty
	for k := bins - 1; k > 0; k-- {
		right.join(&all[k])
		if left[k].count == 0 || right.count == 0 {
			continue
		}
		if c := cost(&left[k]) + cost(&right); c < best.cost {
			*best = border{c, scale, axis, k, left[k], right}
		}
	}
}

// builder is a tree in the making, or a part of it.
type builder struct {
	tree
	radiusSq []float32 // of the spheres of the scene
}

// newBuilder returns one with room for a usual tree of n spheres.
func newBuilder(n int, radiusSq []float32) *builder {
	b := &builder{radiusSq: radiusSq}
	b.nodes, b.groups = mem.Aligned[node](n/60+1, mem.CacheLine)[:0], mem.Aligned[group](n/12+2, mem.CacheLine)[:0]
	return b
}

// node makes a node of a set, and what is below it: of the sets that it is divided
// into, the one with the largest box is divided again, until there are as many as
// lanes.
func (b *builder) node(s set) {
	sets := append(make([]set, 0, lanes), s)
	for len(sets) < lanes {
		largest, area := -1, float32(-1)
		for i := range sets {
			if a := sets[i].bounds.area(); len(sets[i].items) > lanes && a > area {
				largest, area = i, a
			}
		}
		if largest < 0 {
			break
		}
		left, right := sets[largest].split()
		sets[largest] = left
		sets = append(sets, right)
	}
	var parts [lanes]chan *builder
	for k := range sets {
		if n := len(sets[k].items); n >= concurrent {
			parts[k] = make(chan *builder, 1)
			go func() {
				part := newBuilder(n, b.radiusSq)
				part.node(sets[k])
				parts[k] <- part
			}()
		}
	}
	at := len(b.nodes)
	b.nodes = append(b.nodes, node{})
	for k := range lanes {
		r, box := noBox, empty
		if k < len(sets) && len(sets[k].items) > 0 {
			r, box = ref(len(b.nodes))*nodeSize, sets[k].bounds
			switch {
			case parts[k] != nil:
				b.add(<-parts[k])
			case len(sets[k].items) > lanes:
				b.node(sets[k])
			default:
				r = b.group(sets[k].items)
			}
		}
		n := &b.nodes[at]
		n.refs[k] = r
		for axis, lo := range box.lo {
			hi := -box.minusHi[axis]
			n.lo[axis][k], n.hi[axis][k] = lo-abs(lo)*0x1p-21, hi+abs(hi)*0x1p-21
		}
	}
}

// add puts the nodes and groups of a part behind those that there are.
func (b *builder) add(part *builder) {
	nodes, groups := ref(len(b.nodes))*nodeSize, ref(len(b.groups))*groupSize
	for i := range part.nodes {
		n := &part.nodes[i]
		for k, r := range n.refs {
			if r >= 0 {
				n.refs[k] = r + nodes
			} else if n.lo[0][k] <= n.hi[0][k] { // not noBox
				n.refs[k] = r - groups
			}
		}
	}
	b.nodes = append(b.nodes, part.nodes...)
	b.groups = append(b.groups, part.groups...)
}

// group makes a group of up to sixteen spheres.
func (b *builder) group(items []item) ref {
	r := ^(ref(len(b.groups)) * groupSize)
	slices.SortFunc(items, func(a, b item) int { return int(a.index - b.index) })
	var g group
	for k := range lanes {
		g.radiusSq[k] = -infinity
	}
	for k, it := range items {
		g.cx[k], g.cy[k], g.cz[k], g.radiusSq[k], g.index[k] = it.at[0], it.at[1], it.at[2], b.radiusSq[it.index], it.index
	}
	b.groups = append(b.groups, g)
	return r
}
