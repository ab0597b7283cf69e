package tree

import (
	"math"

	"raysteps/beyond/tracing"
	"raysteps/common/mem"
	"raysteps/step13"
)

// line is a ray, as the test of a box wants it: a thin cone, see node. It enters a
// box by a plane, in each coordinate, at plane*near + nearAt, and leaves it by
// another at plane*far + farAt.
type line struct {
	near, nearAt, far, farAt [3]float32
	negative                 [3]bool // the direction
}

const (
	off    = 0x1p-21   // 8u, how far from 1 the squared length of a direction may be
	spread = 0x1.4p-10 // 5√u, how much the cone grows to each side
	nudge  = 0x1p-22   // 4u, more than the rounding of nearAt and of the products
	tiny   = 1e-18     // in place of a direction of 0
)

// newLine makes a line of a ray whose hits in boxes are no further from the origin of
// the coordinates than reach. While the ray goes d along an axis, a side of the cone
// goes d+spread, and the other one d-spread. Where that is not in the direction
// of the ray, the cone is as wide from the beginning as it is at the end.
func newLine(r *Ray, reach float32) (l line) {
	o := [3]float32{r.Origin.X, r.Origin.Y, r.Origin.Z}
	d := [3]float32{r.Direction.X, r.Direction.Y, r.Direction.Z}
	end := abs(o[0]) + abs(o[1]) + abs(o[2]) + reach
	for axis, d := range d {
		o, size := o[axis], max(abs(d), tiny)
		margin, growth := float32(abs(o)*nudge), float32(spread)
		if !(abs(d) > spread) {
			margin, growth = margin+float32(end*spread), 0
		}
		margin = copysign(margin, d)
		l.negative[axis] = math.Signbit(float64(d))
		l.near[axis], l.far[axis] = copysign(1/(size+growth), d), copysign(1/(size-growth), d)
		l.nearAt[axis], l.farAt[axis] = -float32((o+margin)*l.near[axis]), -float32((o-margin)*l.far[axis])
	}
	return l
}

var infinity = float32(math.Inf(1))

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func copysign(x, sign float32) float32 {
	return math.Float32frombits(math.Float32bits(x) | math.Float32bits(sign)&(1<<31))
}

// search is what a worker needs to look for the closest hit of a ray. The
// assembly knows the fields by their names.
type search struct {
	eight   *[9][8]float32 // what walkAVX2 needs in all lanes
	spheres *SphereSoA
	linear  *step13.HitTest // over all spheres; nil if it was not needed so far
	tree    tree            // without nodes if there is none
	// The closest hit so far: its distance, and its place in the tree, or -1.
	tMax  float32
	found ref
	// Where the search goes on later: a node or a group, and how far away its box
	// is, as bits of a float32 that is not negative. Vectors are stored whole.
	refs [maxStack + lanes]ref
	keys [maxStack + lanes]int32
	// What was visited.
	nodeVisits, groupVisits int
}

func newSearch(w *World) *search {
	s := mem.NewIsolated[search]()
	s.spheres, s.eight = &w.Spheres, &mem.Isolated[[9][8]float32](1)[0]
	if w.tree != nil {
		s.tree = *w.tree
	}
	return s
}

// Closest returns the index of the sphere that r hits first at a distance between
// tMin and tMax, both exclusive, and the distance; or -1 and tMax.
func (s *search) Closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	// A ray whose direction is not of length 1, or no number, may be hit by
	// spheres off its line.
	if s.tree.nodes == nil || !(abs(r.Direction.Dot(r.Direction)-1) <= off) {
		if s.linear == nil {
			s.linear = step13.NewHitTest(s.spheres)
		}
		return s.linear.Closest(r, tMin, tMax)
	}
	s.tMax, s.found = tMax, -1
	s.walk(r, tMin)
	if s.found < 0 {
		return -1, tMax
	}
	return int(s.tree.index(s.found)), s.tMax
}

// walkGeneric looks for the closest hit in the tree, after the large spheres. It
// visits the nearest box of a node at once, and the others, the last one first,
// when nothing is nearer.
func (s *search) walkGeneric(r *Ray, tMin float32) {
	l := newLine(r, s.tree.reach)
	s.visit(0, r, tMin)
	for at, top := ref(0), 0; ; {
		if at < 0 {
			s.groupVisits++
			s.visit(^at, r, tMin)
		} else {
			s.nodeVisits++
			n := &s.tree.nodes[at/nodeSize]
			nearest, least := -1, int32(math.MaxInt32)
			for k := range lanes {
				near, ok := n.meet(k, &l, s.tMax)
				if !ok {
					continue
				}
				key, other := int32(math.Float32bits(near))&^(lanes-1)|int32(k), k
				if key < least {
					nearest, least, key, other = k, key, least, nearest
				}
				if other >= 0 {
					s.refs[top], s.keys[top] = n.refs[other], key
					top++
				}
			}
			if nearest >= 0 {
				at = n.refs[nearest]
				continue
			}
		}
		for {
			if top == 0 {
				return
			}
			top--
			if s.keys[top] <= int32(math.Float32bits(s.tMax)) {
				break
			}
		}
		at = s.refs[top]
	}
}

// meet returns whether the ray meets a box of a node between 0 and tMax, both
// inclusive, and a distance that is not larger than that of any hit in the box.
// It is the slab test of Kay and Kajiya (1986).
func (n *node) meet(k int, l *line, tMax float32) (near float32, ok bool) {
	far := tMax
	for axis := range 3 {
		enter, leave := n.lo[axis][k], n.hi[axis][k]
		if l.negative[axis] {
			enter, leave = leave, enter
		}
		near = max(near, float32(enter*l.near[axis])+l.nearAt[axis])
		far = min(far, float32(leave*l.far[axis])+l.farAt[axis])
	}
	return near, near <= far
}

// visit looks for a closer hit in a group. Of equally close
// ones the first of the scene counts, in whatever order the groups are visited.
func (s *search) visit(at ref, r *Ray, tMin float32) {
	g := &s.tree.groups[at/groupSize]
	for k := range lanes {
		if g.radiusSq[k] < 0 {
			return // only padding is left
		}
		cox, coy, coz := g.cx[k]-r.Origin.X, g.cy[k]-r.Origin.Y, g.cz[k]-r.Origin.Z
		nb := tracing.FMA(coz, r.Direction.Z, tracing.FMA(coy, r.Direction.Y, float32(cox*r.Direction.X)))
		c := tracing.FMA(coz, coz, tracing.FMA(coy, coy, float32(cox*cox))) - g.radiusSq[k]
		discriminant := float32(nb*nb) - c
		if !(discriminant >= 0) {
			continue
		}
		root := sqrt(discriminant)
		t := nb - root
		if !(t > tMin) {
			t = nb + root
		}
		place := at + ref(4*k)
		closer := t < s.tMax ||
			t == s.tMax && s.found >= 0 && s.tree.index(place) < s.tree.index(s.found)
		if t > tMin && closer {
			s.tMax, s.found = t, place
		}
	}
}

// Visits returns how many nodes and groups the search for the first hit of a ray
// visits, besides the group of the large spheres.
func (t *Tracer) Visits(origin, direction [3]float32) (nodes, groups int) {
	vec := func(a [3]float32) Vec3 { return Vec3{X: a[0], Y: a[1], Z: a[2]} }
	s, r := newSearch(t.world), step13.NewRay(vec(origin), vec(direction))
	s.Closest(&r, tMin, math.MaxFloat32)
	return s.nodeVisits, s.groupVisits
}
