// Package step03 is chapter 3 in an access log: metrics behind an interface, which each entry is
// added to, and the same four in a struct.
package step03
