package tree

// wideNode is the boxes of up to eight nodes, in columns, so that they can be
// tested at once. The assembly knows the fields by their names.
type wideNode struct {
	cx, cy, cz [lanes]float32 // centers
	sx, sy, sz [lanes]float32 // sizes
	slack      [lanes]float32
	refs       [lanes]ref // a wide node or a leaf; 0, the root, in the lanes that are empty
}

// widen makes wide nodes of up to so many boxes each. It returns what stands for
// node i. A wide node is filled with the children of its largest boxes.
func widen(nodes []node, i ref, width int, wide []wideNode) ([]wideNode, ref) {
	if nodes[i].ref < 0 {
		return wide, nodes[i].ref
	}
	children := append(make([]ref, 0, lanes), i+1, nodes[i].ref)
	for len(children) < width {
		largest, area := -1, float32(-1)
		for k, c := range children {
			s := nodes[c].size
			if a := s.X*s.Y + s.Y*s.Z + s.Z*s.X; nodes[c].ref >= 0 && a > area {
				largest, area = k, a
			}
		}
		if largest < 0 {
			break
		}
		c := children[largest]
		children[largest] = c + 1
		children = append(children, nodes[c].ref)
	}
	at := ref(len(wide))
	wide = append(wide, wideNode{})
	for k := range lanes {
		b, r := box{center: Vec3{X: 1e30}}, ref(0) // out of reach
		if k < len(children) {
			b = nodes[children[k]].box
			wide, r = widen(nodes, children[k], width, wide)
		}
		n := &wide[at]
		n.cx[k], n.cy[k], n.cz[k] = b.center.X, b.center.Y, b.center.Z
		n.sx[k], n.sy[k], n.sz[k] = b.size.X, b.size.Y, b.size.Z
		n.slack[k], n.refs[k] = b.slack, r
	}
	return wide, at
}

// form returns what is best: how many spheres a leaf may have, and how many boxes
// to test at a time.
func form() (leafSize, width int) {
	if hasKernel {
		return maxLeaf, lanes
	}
	return lanes, 2
}

// meet is meetGeneric, eight boxes at a time if the processor can.
func (n *wideNode) meet(l *line, tMax float32, near *[lanes]float32) (met uint32) {
	if hasKernel {
		return meetAVX2(n, l, tMax, near)
	}
	return n.meetGeneric(l, tMax, near)
}

// meetGeneric is box.meet for all boxes of a wide node: it returns a bit for each
// that the ray meets, and the distances to them. Where NaN is in it, it may meet
// more than the assembly does.
func (n *wideNode) meetGeneric(l *line, tMax float32, near *[lanes]float32) (met uint32) {
	for k := range near {
		b := box{Vec3{n.cx[k], n.cy[k], n.cz[k]}, Vec3{n.sx[k], n.sy[k], n.sz[k]}, n.slack[k]}
		var ok bool
		if near[k], ok = b.meet(l, tMax); ok {
			met |= 1 << k
		}
	}
	return met
}
