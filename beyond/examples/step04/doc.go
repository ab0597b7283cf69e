// Package step04 is chapter 4 in an access log: pointers to entries, a linked list of them and a
// slice of the entries themselves, as they were read, and once they are sorted.
package step04
