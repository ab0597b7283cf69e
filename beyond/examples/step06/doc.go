// Package step06 is chapter 6 in an access log: few paths have an escape such as %C3%A9, so most
// need no decoder.
package step06
