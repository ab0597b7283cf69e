package tree

import (
	"cmp"
	"math"
	"slices"
)

// box is around spheres, and a little larger. The size is half the sides. A box
// holds
//
//	|C - center| + r*(1 + 2^-17)
//
// of each of its spheres in each coordinate, rounded up by another 2^-18, and
// meet adds to its size what depends on the ray. Both together are what it takes
// not to lose a hit.
//
// What the first pass reports is a hit on a sphere that may be a little larger:
// let the sphere have center C and squared radius r², the ray origin O and a
// direction D with | |D|²-1 | <= 20u, where u = 2^-24, and let L = |C-O|. Every
// operation rounds by a factor 1+e, |e| <= u (Higham 2002, chapters 2 and 3).
// Then nb is (C-O)·D with an error of 4uL, for the subtraction, the product and
// two fused sums; c is L² - r² with one of 6uL²+ur²; and four more roundings
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
// So a sphere that is small against its distance seems larger by up to 7√u L,
// or one part in 585. The margin of meet is min(8√u L', 32u L'²/r), where L' is
// at least L and r the least radius in the box. What is left of it, and of the
// 2^-18, is for the few roundings of meet itself, each of them a factor of 1+e
// too. No operation overflows or underflows as long as the scene keeps to the
// limits of scene.Validate; if one does, the distance is infinite or NaN, and
// meet is written so that NaN counts as met.
type box struct {
	center, size Vec3
	slack        float32 // 32u/r, of the smallest sphere
}

// node is a box of the tree. The nodes are in depth-first order, so that the
// first of two children follows its parent.
type node struct {
	box
	ref ref // of the second child, or the leaf
}

// ref is the index of a node, or a leaf if it is negative.
type ref int32

const (
	lanes     = 8  // spheres or boxes that are tested at once
	maxLeaf   = 64 // spheres, as many as there are bits in a word of candidates
	maxGroups = maxLeaf / lanes
	bins      = 16 // that split tries along an axis
)

// leafRef makes a ref of a number of groups of eight spheres.
func leafRef(first, groups int) ref { return -1 - ref(first*maxGroups+groups-1) }

// leaf returns the first sphere of a leaf, and the first after it.
func (r ref) leaf() (first, end int) {
	group, groups := int(-1-r)/maxGroups, int(-1-r)%maxGroups+1
	return group * lanes, (group + groups) * lanes
}

// bounds is a box in the making, by its corners.
type bounds struct{ lo, hi [3]float64 }

// emptyBounds is inside out, so that joining it changes nothing.
var emptyBounds = bounds{
	[3]float64{math.Inf(1), math.Inf(1), math.Inf(1)},
	[3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)},
}

// add makes the bounds large enough for a sphere, enlarged as the comment on box
// says. With a small one far away the sum is rounded, too.
func (b *bounds) add(it *item) {
	for i, c := range it.center {
		r := it.radius*(1+0x1p-17) + math.Abs(c)*0x1p-52
		b.lo[i], b.hi[i] = min(b.lo[i], c-r), max(b.hi[i], c+r)
	}
}

func (b *bounds) join(c *bounds) {
	for i := range b.lo {
		b.lo[i], b.hi[i] = min(b.lo[i], c.lo[i]), max(b.hi[i], c.hi[i])
	}
}

// area returns half of the surface.
func (b *bounds) area() float64 {
	x, y, z := b.hi[0]-b.lo[0], b.hi[1]-b.lo[1], b.hi[2]-b.lo[2]
	return x*y + y*z + z*x
}

// box rounds the bounds outward. The radius is that of the smallest sphere in
// them.
func (b *bounds) box(radius float64) box {
	var center, size [3]float32
	for i := range center {
		center[i] = float32((b.lo[i] + b.hi[i]) / 2)
		half := max(b.hi[i]-float64(center[i]), float64(center[i])-b.lo[i])
		size[i] = float32(half * (1 + 0x1p-18))
	}
	return box{vec3(center), vec3(size), float32(min(0x1p-19/radius, 1e18))}
}

// builder makes a tree of spheres in a world.
type builder struct {
	*World
	spheres  []Sphere // in the order of the scene
	leafSize int
}

// item is a sphere that waits for its place in the tree.
type item struct {
	center     [3]float64
	radius     float64
	sceneIndex int32
}

// build makes a node of some spheres, and what is below it. The items are put in
// the order of the tree.
func (b *builder) build(items []item, depth int) {
	all, centers, least := emptyBounds, emptyBounds, math.Inf(1)
	for i := range items {
		it := &items[i]
		all.add(it)
		centers.join(&bounds{it.center, it.center})
		least = min(least, it.radius)
	}
	at := len(b.nodes)
	b.nodes = append(b.nodes, node{box: all.box(least)})
	b.depth = max(b.depth, depth)
	if len(items) <= b.leafSize {
		b.nodes[at].ref = b.leaf(items)
		return
	}
	half := split(items, &centers)
	b.build(items[:half], depth+1)
	b.nodes[at].ref = ref(len(b.nodes))
	b.build(items[half:], depth+1)
}

// leaf makes a leaf of the items, in the order of the scene.
func (b *builder) leaf(items []item) ref {
	slices.SortFunc(items, func(x, y item) int { return cmp.Compare(x.sceneIndex, y.sceneIndex) })
	first := b.Spheres.Len()
	for i := range items {
		b.Spheres.Append(b.spheres[items[i].sceneIndex])
		b.sceneIndex = append(b.sceneIndex, items[i].sceneIndex)
	}
	for b.Spheres.Len()%lanes != 0 {
		b.Spheres.Append(Sphere{RadiusSq: float32(math.Inf(-1))})
		b.sceneIndex = append(b.sceneIndex, -1)
	}
	return leafRef(first/lanes, (b.Spheres.Len()-first)/lanes)
}

// split divides spheres in two and returns how many are in the first half. It
// tries the borders of so many bins along each axis and takes the one of the
// least cost (Wald 2007). A ray that meets a box meets a smaller one within it
// with a probability of the areas' ratio, and then the spheres cost what the
// first pass takes for them, which counts in groups of eight.
func split(items []item, centers *bounds) int {
	best, axis, border := math.Inf(1), -1, 0
	var scale [3]float64
	bin := func(axis int, it *item) int {
		return max(0, min(bins-1, int((it.center[axis]-centers.lo[axis])*scale[axis])))
	}
	var counts [3][bins]int
	var boxes [3][bins]bounds
	for a := range scale {
		scale[a] = bins / (centers.hi[a] - centers.lo[a])
		for i := range boxes[a] {
			boxes[a][i] = emptyBounds
		}
	}
	for i := range items {
		for a := range scale {
			k := bin(a, &items[i])
			counts[a][k]++
			boxes[a][k].add(&items[i])
		}
	}
	cost := func(n int, b *bounds) float64 { return b.area() * float64((n+lanes-1)/lanes) }
	for a := range scale {
		var costs [bins]float64 // of what is left of a border
		n, left := 0, emptyBounds
		for k := range bins - 1 {
			n += counts[a][k]
			left.join(&boxes[a][k])
			costs[k+1] = cost(n, &left)
		}
		n, right := 0, emptyBounds
		for k := bins - 1; k > 0; k-- {
			n += counts[a][k]
			right.join(&boxes[a][k])
			if c := costs[k] + cost(n, &right); n > 0 && n < len(items) && c < best {
				best, axis, border = c, a, k
			}
		}
	}
	if axis < 0 { // all in one place
		return len(items) / 2
	}
	half := 0
	for i := range items {
		if bin(axis, &items[i]) < border {
			items[half], items[i] = items[i], items[half]
			half++
		}
	}
	return half
}
