package tree

import (
	"math"
	"unsafe"

	"raysteps/common/mem"
)

const (
	lanes = 16 // boxes or spheres that are tested at once
	large = 4  // spheres outside of the tree, at most
	bins  = 16 // that split tries along an axis
	// From this depth on, sets are divided in halves, which takes twenty
	// divisions of MaxSpheres spheres.
	halvesFrom = 40
	// An element of the stack for all children of a node but one, in each depth.
	maxStack = (halvesFrom+20)*(lanes-1) + 1
	sample   = 1 << 11 // spheres of a set that split asks, about
	// Sets of so many spheres are divided by a goroutine.
	concurrent = 1 << 14
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
// close by. What the first pass reports is a hit on a sphere that may be a little
// larger: let the sphere have center C and squared radius r², the ray origin O
// and a direction D with | |D|²-1 | <= 20u, where u = 2^-24, and let L = |C-O|.
// Every operation rounds by a factor 1+e, |e| <= u (Higham 2002, chapters 2 and
// 3). Then nb is (C-O)·D with an error of 4uL, for the subtraction, the product
// and two fused sums; c is L² - r² with one of 6uL²+ur²; and four more roundings
// follow before the root t is known. Inserting t in the equation of the sphere
// gives for its point P = O + tD
//
//	|P-C|² <= r² + 4ur² + 7uL² + 22ut² + 10utL
//
// and since t <= L + |P-C|, by (a+b)² <= 5/4 a² + 5 b² and ab <= a²/4 + b²,
//
//	|P-C|² <= r²(1 + 124u) + 47uL²
//	|P-C|  <= r(1 + 62u) + min(7√u L, 24u L²/r)
//
// Now L <= t + |P-C|. Where L <= 1194r the second term of the minimum counts: it
// is at most 24u(t²/r + 2t + r), which is less than 7.02√u t + 24u r. Where L is
// larger, r is less than a thousandth of t, and the first is less than 7.02√u t.
// So
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
type group struct{ cx, cy, cz, radiusSq [lanes]float32 }

// tree is spheres by their places. The root is the first node.
type tree struct {
	nodes  []node
	groups []group // the first one holds the large spheres, in its first lanes
	// Of each lane of the groups, the number of the sphere in the scene.
	sceneIndex []int32
	// No sphere has a point further than this from the origin of the coordinates.
	reach float32
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
		radius := sqrt(radiusSq[i]) * (1 + 0x1p-17)
		items[i] = item{[axes]float32{cx[i], cy[i], cz[i], float32(math.Float32bits(radius))}, radius, int32(i)}
	}
	all := newSet(items, halvesFrom)
	t := &tree{}
	for axis := range 3 {
		t.reach += max(abs(all.bounds.lo[axis]), abs(all.bounds.hi[axis]))
	}

	// A sphere whose box is about as large as that of all is met by nearly all
	// rays, and its hits are a good limit for the search of the others.
	n := 0
	for i := 0; i < len(items) && n < large; i++ {
		if r := items[i].radius; 12*r*r > all.bounds.area()/16 {
			items[i], items[n] = items[n], items[i]
			n++
		}
	}
	// Room for trees of the usual kind.
	b := builder{
		nodes:      mem.Aligned[node](len(items)/60+1, mem.CacheLine)[:0],
		groups:     mem.Aligned[group](len(items)/12+2, mem.CacheLine)[:0],
		sceneIndex: make([]int32, 0, (len(items)/12+2)*lanes),
		radiusSq:   radiusSq,
	}
	b.group(items[:n])
	b.node(newSet(items[n:], 0).divide())
	t.nodes, t.groups, t.sceneIndex = b.nodes, b.groups, b.sceneIndex
	return t
}

// item is a sphere that waits for its place in the tree.
type item struct {
	// The center, and as a fourth coordinate the bits of the radius, which are
	// about its logarithm: spheres of one size belong together, too.
	at     [axes]float32
	radius float32 // enlarged as the comment on node says
	index  int32   // in the scene
}

const axes = 4

// bounds is a box in the making, by its corners.
type bounds struct{ lo, hi [3]float32 }

// emptyBounds is inside out, so that joining it changes nothing.
var emptyBounds = bounds{[3]float32{infinity, infinity, infinity}, [3]float32{-infinity, -infinity, -infinity}}

func (b *bounds) join(c *bounds) {
	for i := range b.lo {
		b.lo[i], b.hi[i] = min(b.lo[i], c.lo[i]), max(b.hi[i], c.hi[i])
	}
}

// add makes the bounds large enough for a sphere.
func (b *bounds) add(it *item) {
	x, y, z, r := it.at[0], it.at[1], it.at[2], it.radius
	b.lo[0], b.hi[0] = min(b.lo[0], x-r), max(b.hi[0], x+r)
	b.lo[1], b.hi[1] = min(b.lo[1], y-r), max(b.hi[1], y+r)
	b.lo[2], b.hi[2] = min(b.lo[2], z-r), max(b.hi[2], z+r)
}

// area returns half of the surface.
func (b *bounds) area() float32 {
	x, y, z := b.hi[0]-b.lo[0], b.hi[1]-b.lo[1], b.hi[2]-b.lo[2]
	return x*y + y*z + z*x
}

// set is spheres that become a group, or are divided.
type set struct {
	items           []item
	depth           int // how often the set of all was divided
	bounds          bounds
	least, greatest [axes]float32 // of the coordinates
	// halves returns what split does. It is called once.
	halves func() [2]set
}

func newSet(items []item, depth int) set {
	box, least, greatest := emptyBounds, [axes]float32{infinity, infinity, infinity, infinity}, [axes]float32{-infinity, -infinity, -infinity, -infinity}
	for i := range items {
		it := &items[i]
		box.add(it)
		least[0], greatest[0] = min(least[0], it.at[0]), max(greatest[0], it.at[0])
		least[1], greatest[1] = min(least[1], it.at[1]), max(greatest[1], it.at[1])
		least[2], greatest[2] = min(least[2], it.at[2]), max(greatest[2], it.at[2])
		least[3], greatest[3] = min(least[3], it.at[3]), max(greatest[3], it.at[3])
	}
	return set{items: items, depth: depth, bounds: box, least: least, greatest: greatest}
}

// divide lets a goroutine divide the set, if it is large.
func (s set) divide() set {
	s.halves = start(len(s.items), s.split)
	return s
}

// start calls f, at once on another goroutine if n is large, else when the
// result is asked for.
func start[T any](n int, f func() T) (result func() T) {
	if n < concurrent {
		return f
	}
	c := make(chan T, 1)
	go func() { c <- f() }()
	return func() T { return <-c }
}

// split divides the set in two. It tries the borders of so many bins along an axis
// and takes the one of the least cost (Wald 2007). A ray that meets a box meets a
// smaller one within it with a probability of the areas' ratio, and then the
// spheres cost as much as their groups, as full as they can be. Of many spheres it
// asks a sample.
func (s *set) split() [2]set {
	best := border{cost: infinity, axis: -1}
	if s.depth < halvesFrom {
		for axis := range axes {
			s.try(axis, &best)
		}
	}
	items, half := s.items, len(s.items)/2
	if best.axis >= 0 {
		half = 0
		for i := range items {
			if s.bin(&items[i], best.axis, best.scale) < best.bin {
				items[half], items[i] = items[i], items[half]
				half++
			}
		}
	}
	return [2]set{newSet(items[:half], s.depth+1), newSet(items[half:], s.depth+1)}
}

// border is a place to divide a set at.
type border struct {
	cost, scale float32
	axis, bin   int // the first bin of the second half
}

// bin returns the bin of a sphere, of which there are scale in a unit of length.
func (s *set) bin(it *item, axis int, scale float32) int {
	return min(bins-1, int((it.at[axis]-s.least[axis])*scale))
}

// try looks along an axis for a border that costs less than the best so far.
func (s *set) try(axis int, best *border) {
	length := s.greatest[axis] - s.least[axis]
	if !(length > 0) {
		return
	}
	scale := bins / length
	type bin struct {
		bounds
		count int
	}
	var all [bins]bin
	for k := range all {
		all[k].bounds = emptyBounds
	}
	asked := 0
	stride := 1 + len(s.items)/sample
	for i := 0; i < len(s.items); i += stride {
		it := &s.items[i]
		k := &all[s.bin(it, axis, scale)]
		k.add(it)
		k.count++
		asked++
	}
	cost := func(b *bin) float32 { return b.area() * float32((b.count*stride+lanes-1)/lanes) }
	var costs [bins]float32 // of what is left of a border
	left, right := bin{bounds: emptyBounds}, bin{bounds: emptyBounds}
	for k := range bins - 1 {
		left.join(&all[k].bounds)
		left.count += all[k].count
		costs[k+1] = cost(&left)
	}
	for k := bins - 1; k > 0; k-- {
		right.join(&all[k].bounds)
		right.count += all[k].count
		if c := costs[k] + cost(&right); right.count > 0 && right.count < asked && c < best.cost {
			*best = border{c, scale, axis, k}
		}
	}
}

// builder is a tree in the making, or a part of it.
type builder struct {
	nodes      []node
	groups     []group
	sceneIndex []int32
	radiusSq   []float32 // of the spheres of the scene
}

// node makes a node of a set that divide returned, and what is below it: of the
// sets that it is divided into, the one with the largest box is divided again,
// until there are as many as lanes.
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
		halves := sets[largest].halves()
		sets[largest] = halves[0].divide()
		sets = append(sets, halves[1].divide())
	}
	at := len(b.nodes)
	b.nodes = append(b.nodes, node{})
	n := &b.nodes[at]
	var parts [lanes]func() builder
	for k := range lanes {
		for axis := range 3 {
			n.lo[axis][k], n.hi[axis][k], n.refs[k] = 1e30, -1e30, noBox
			if k < len(sets) && len(sets[k].items) > 0 {
				lo, hi := sets[k].bounds.lo[axis], sets[k].bounds.hi[axis]
				n.lo[axis][k], n.hi[axis][k] = lo-abs(lo)*0x1p-21, hi+abs(hi)*0x1p-21
			}
		}
		if k < len(sets) && len(sets[k].items) >= concurrent {
			parts[k] = start(concurrent, func() builder {
				part := builder{radiusSq: b.radiusSq}
				part.node(sets[k])
				return part
			})
		}
	}
	for k := range sets {
		r := ref(len(b.nodes)) * nodeSize
		switch {
		case len(sets[k].items) == 0:
			continue // all spheres are large
		case parts[k] != nil:
			b.add(parts[k]())
		case len(sets[k].items) > lanes:
			b.node(sets[k])
		default:
			r = b.group(sets[k].items)
		}
		b.nodes[at].refs[k] = r
	}
}

// add puts the nodes and groups of a part behind those that there are.
func (b *builder) add(part builder) {
	nodes, groups := ref(len(b.nodes))*nodeSize, ref(len(b.groups))*groupSize
	for i := range part.nodes {
		n := &part.nodes[i]
		for k, r := range n.refs {
			switch {
			case n.lo[0][k] > n.hi[0][k]: // noBox
			case r < 0:
				n.refs[k] = r - groups
			default:
				n.refs[k] = r + nodes
			}
		}
	}
	b.nodes = append(b.nodes, part.nodes...)
	b.groups = append(b.groups, part.groups...)
	b.sceneIndex = append(b.sceneIndex, part.sceneIndex...)
}

// group makes a group of up to sixteen spheres.
func (b *builder) group(items []item) ref {
	r := ^(ref(len(b.groups)) * groupSize)
	for i := range items {
		for k := i; k > 0 && items[k].index < items[k-1].index; k-- {
			items[k], items[k-1] = items[k-1], items[k]
		}
	}
	var g group
	for k := range lanes {
		g.radiusSq[k] = -infinity
		index := int32(-1)
		if k < len(items) {
			it := &items[k]
			g.cx[k], g.cy[k], g.cz[k], g.radiusSq[k] = it.at[0], it.at[1], it.at[2], b.radiusSq[it.index]
			index = it.index
		}
		b.sceneIndex = append(b.sceneIndex, index)
	}
	b.groups = append(b.groups, g)
	return r
}
