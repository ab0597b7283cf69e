// Package step10 computes the first pass of the hit test in SSE instructions, four
// spheres at a time.
//
// The kernel is written in Go's assembler and called once a ray. It collects the
// candidates, a bit a sphere, without a jump that depends on them. The second pass, in
// Go, looks at those only, and finds the closest hit. On arm64 the kernel is in NEON
// instructions; other processors run its twin in plain Go.
//
// Also, the coordinates of a pixel are multiplied by the inverse of the picture's size
// instead of divided by it.
package step10
