// Package step11 is chapter 11 in an access log: a sum of durations is a chain of additions, and
// four sums are four chains.
package step11
