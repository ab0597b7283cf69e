// Package step02 makes the fields of a ray public and drops its getters.
//
// Everybody knows that a getter costs nothing, because the compiler inlines
// it. This step looks whether everybody is right.
package step02
