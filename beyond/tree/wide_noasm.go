//go:build !amd64 || purego

package tree

// width returns how many boxes are best tested at a time.
func width() int { return 2 }

func (n *wideNode) meet(l *line, tMax float32, near *[lanes]float32) (met uint32) {
	return n.meetGeneric(l, tMax, near)
}
