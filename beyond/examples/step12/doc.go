// Package step12 is chapter 12 in an access log: lines are counted eight bytes at a time in an
// ordinary register, and by the standard library, which takes 32 bytes in a wide one.
package step12
