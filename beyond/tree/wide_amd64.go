//go:build !purego

package tree

// width returns how many boxes are best tested at a time.
func width() int {
	if hasAVX2 {
		return lanes
	}
	return 2
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
