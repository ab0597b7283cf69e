package step04

import "raysteps/beyond/examples/accesslog"

// TotalBytes adds up what was sent.
func TotalBytes(entries []*accesslog.Entry) (total int64) {
	for _, e := range entries {
		total += e.Bytes
	}
	return total
}

// Node is an entry of a linked list.
type Node struct {
	accesslog.Entry
	Next *Node
}

// TotalBytesFrom adds up what was sent in a node and all that follow it.
func TotalBytesFrom(first *Node) (total int64) {
	for n := first; n != nil; n = n.Next {
		total += n.Bytes
	}
	return total
}
