//go:build !purego

package tree

// form returns what is best: how many spheres a leaf may have, and how many boxes
// to test at a time.
func form() (leafSize, width int) {
	if hasAVX2 {
		return maxLeaf, lanes
	}
	return lanes, 2
}

// meet is meetGeneric, eight boxes at a time if the processor can.
func (n *wideNode) meet(l *line, tMax float32, near *[lanes]float32) (met uint32) {
	if hasAVX2 {
		return meetAVX2(n, l, tMax, near)
	}
	return n.meetGeneric(l, tMax, near)
}

//go:noescape
func meetAVX2(n *wideNode, l *line, tMax float32, near *[lanes]float32) uint32
