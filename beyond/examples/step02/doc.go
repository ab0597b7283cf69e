// Package step02 is chapter 2 in an access log: a check in a small function, whose message
// makes it too large to be inlined.
package step02
