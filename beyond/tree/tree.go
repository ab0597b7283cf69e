package tree

import (
	"slices"
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
	cx, cy, cz := spheres.CenterXPadded(), spheres.CenterYPadded(), spheres.CenterZPadded()
	radiusSq := spheres.RadiusSqPadded()
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
		g.cx[k], g.cy[k], g.cz[k] = it.at[0], it.at[1], it.at[2]
		g.radiusSq[k], g.index[k] = radiusSq[it.index], it.index
	}
	t.groups = append(t.groups, g)
	return r
}
