// Package step01 is chapter 1 in an access log: the request of each line is split into four
// strings, a struct of 64 bytes, and returned by pointer, by value, or into a struct of the
// caller.
package step01
