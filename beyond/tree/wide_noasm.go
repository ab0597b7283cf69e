//go:build !amd64 || purego

package tree

// form returns what is best: how many spheres a leaf may have, and how many boxes
// to test at a time.
func form() (leafSize, width int) { return lanes, 2 }

func (n *wideNode) meet(l *line, tMax float32, near *[lanes]float32) (met uint32) {
	return n.meetGeneric(l, tMax, near)
}
