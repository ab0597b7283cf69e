//go:build !purego

package tree

//go:noescape
func meetAVX2(n *wideNode, l *line, tMax float32, near *[lanes]float32) uint32
