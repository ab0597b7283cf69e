// Package step08 is chapter 8 in an access log: what a request costs, with prices behind a
// pointer and in local variables, where nothing is written in the loop, where something is, and
// where the prices lie behind several pointers.
package step08
