package tree

import "sync"

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
