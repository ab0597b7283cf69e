//go:build !amd64 || purego

package tree

func meetAVX2(n *wideNode, l *line, tMax float32, near *[lanes]float32) uint32 {
	panic("this build has no assembly")
}
