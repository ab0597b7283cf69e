// Package step10 is chapter 10 in an access log: must a text be escaped in JSON? Each byte is
// asked, or eight at a time in an ordinary register.
package step10
