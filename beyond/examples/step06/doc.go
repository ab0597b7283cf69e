// Package step06 is chapter 6 in an access log: most lines have the second of the line before, so
// most times need no parser.
package step06
