// Package start is the smallest program part with SIMD in it: a loop over floats, its
// vectorized twin, the choice between them, and the test. docs/archsimd.md tells how
// to take it.
package start
