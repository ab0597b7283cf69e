// Package step01 is the baseline: a path tracer as a textbook has it.
//
// Whatever a ray can hit is a Hittable, an interface with one method. A list
// of Hittables is a Hittable too, and the world is such a list. What a sphere
// is made of is another interface, Material. A ray has private fields and
// getters.
//
// It is written as a careful Go programmer would write it. Rays and hit
// records are passed by pointer, and tracing a ray allocates nothing. Every
// product that is added to something is converted with float32(x*y), because
// a compiler for arm64, or for amd64 at GOAMD64=v3, would otherwise fuse the
// two operations into one with one rounding, and the pictures would differ
// from machine to machine.
package step01
