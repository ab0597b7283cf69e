// Package step11 is chapter 11 in an access log: a jump that depends on a duration like the toss
// of a coin, and the same without a jump.
package step11
