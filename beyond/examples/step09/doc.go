// Package step09 is chapter 9 in an access log: a root and a division that are the same for each
// request.
package step09
