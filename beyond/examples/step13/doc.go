// Package step13 is chapter 13 in an access log: goroutines that add to neighboring elements of a
// slice, and goroutines that have a sum of their own.
package step13
