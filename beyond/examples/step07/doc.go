// Package step07 is chapter 7 in an access log: a bounds check fewer in a histogram, and what the
// place of the loop does.
package step07
