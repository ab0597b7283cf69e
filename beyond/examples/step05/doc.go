// Package step05 is chapter 5 in an access log: a loop that needs two of the nine fields of an
// entry, over entries and over columns.
package step05
