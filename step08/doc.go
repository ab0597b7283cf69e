// Package step08 writes the dot products of the first pass out.
//
// It also copies the ray into local variables, which the compiler can keep in
// registers. In C++ this is the step that lets compilers vectorize the loop.
// Go's compiler does not vectorize, and inlines Dot anyway.
package step08
