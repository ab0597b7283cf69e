// Package step13 is chapter 13 in an access log: goroutines that count into one map, and
// goroutines that have a map each.
package step13
