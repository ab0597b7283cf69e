package tree

import (
	"math"
	"math/bits"

	"raysteps/common/mem"
)

// line is a ray, as the test of a box wants it.
type line struct {
	origin  Vec3
	inverse Vec3 // -1 / direction
}

func newLine(r *Ray) line {
	d := r.Direction
	if !(abs(d.Dot(d)-1) <= 0x1p-20) {
		return line{origin: r.Origin} // meets all boxes, at once
	}
	return line{r.Origin, Vec3{inverse(d.X), inverse(d.Y), inverse(d.Z)}}
}

// inverse returns -1/x, but a finite number for 0. That moves a point at a
// distance of t by 1e-18*t, which the margin makes good.
func inverse(x float32) float32 {
	if x > -1e-18 && x < 1e-18 {
		x = 1e-18
	}
	return -1 / x
}

// meet returns whether a ray meets a box between 0 and tMax, both inclusive, and
// a distance that is not larger than that of any hit in the box. It is the slab
// test of Kay and Kajiya (1986). What is NaN is met.
func (b *box) meet(l *line, tMax float32) (near float32, ok bool) {
	x, y, z := l.origin.X-b.center.X, l.origin.Y-b.center.Y, l.origin.Z-b.center.Z
	reach := (abs(x) + b.size.X) + (abs(y) + b.size.Y) + (abs(z) + b.size.Z)
	margin := float32(reach * min(float32(b.slack*reach), 0x1p-9))

	// When the ray is level with the center, and for how long it is between two
	// sides before and after that.
	tx, ty, tz := float32(x*l.inverse.X), float32(y*l.inverse.Y), float32(z*l.inverse.Z)
	hx := float32((b.size.X + margin) * abs(l.inverse.X))
	hy := float32((b.size.Y + margin) * abs(l.inverse.Y))
	hz := float32((b.size.Z + margin) * abs(l.inverse.Z))
	near = max(tx-hx, ty-hy, tz-hz, 0)
	return near, !(near > min(tx+hx, ty+hy, tz+hz, tMax))
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// branch is where the search goes on later.
type branch struct {
	near float32 // the ray does not meet it before
	ref  ref
}

// search is what a worker needs to look for the closest hit of a ray.
type search struct {
	firstPass // over the spheres of a leaf
	near      [lanes]float32
	stack     []branch
	// The closest hit so far: its distance, and the sphere in the columns, or -1.
	tMax    float32
	closest int
}

func newSearch(w *World) *search {
	return &search{
		firstPass: firstPass{candidates: mem.Isolated[uint64](1), nb: mem.Isolated[float32](maxLeaf), discriminants: mem.Isolated[float32](maxLeaf)},
		// A node takes one branch off the stack and puts up to eight on it.
		stack: mem.Isolated[branch](w.depth*(lanes-1) + 1),
	}
}

// walk visits the nodes that the ray meets, the nearer child first.
func (w *World) walk(r *Ray, tMin float32, s *search) {
	l := newLine(r)
	at, top := ref(0), 0
	for {
		n := &w.nodes[at]
		if n.ref < 0 {
			w.leaf(n.ref, r, tMin, s)
		} else {
			first, second := at+1, n.ref
			near1, ok1 := w.nodes[first].meet(&l, s.tMax)
			near2, ok2 := w.nodes[second].meet(&l, s.tMax)
			if ok1 && ok2 {
				if near2 < near1 {
					first, second, near2 = second, first, near1
				}
				s.stack[top] = branch{near2, second}
				top++
			}
			if ok1 || ok2 {
				at = first
				if !ok1 {
					at = second
				}
				continue
			}
		}
		for {
			if top == 0 {
				return
			}
			top--
			if b := s.stack[top]; !(b.near > s.tMax) {
				at = b.ref
				break
			}
		}
	}
}

// walkWide does the same in the wide nodes.
func (w *World) walkWide(r *Ray, tMin float32, s *search) {
	l := newLine(r)
	s.stack[0] = branch{}
	for top := 1; top > 0; {
		top--
		next := s.stack[top]
		if next.near > s.tMax {
			continue
		}
		if next.ref < 0 {
			w.leaf(next.ref, r, tMin, s)
			continue
		}
		n := &w.wide[next.ref]
		met := n.meet(&l, s.tMax, &s.near)
		// The nearest branch of this node shall be on top.
		for first := top; met != 0; met &= met - 1 {
			k := bits.TrailingZeros32(met) % lanes
			b := branch{s.near[k], n.refs[k]}
			if b.ref == 0 {
				break // no more boxes; see newLine
			}
			i := top
			for ; i > first && s.stack[i-1].near < b.near; i-- {
				s.stack[i] = s.stack[i-1]
			}
			s.stack[i] = b
			top++
		}
	}
}

var infinity = float32(math.Inf(1))

// leaf looks for a closer hit in a leaf, whose spheres are in the order of the
// scene. Of equally close ones the first of the scene counts, in whatever order
// the leaves are visited, so a hit at the same distance is wanted, too.
func (w *World) leaf(leaf ref, r *Ray, tMin float32, s *search) {
	first, end := leaf.leaf()
	s.cx, s.cy, s.cz, s.radiusSq = w.cx[first:end], w.cy[first:end], w.cz[first:end], w.radiusSq[first:end]
	k, t := s.firstPass.closest(r, tMin, math.Nextafter32(s.tMax, infinity))
	if i := first + k; k >= 0 && (t < s.tMax || s.closest >= 0 && w.sceneIndex[i] < w.sceneIndex[s.closest]) {
		s.closest, s.tMax = i, t
	}
}
