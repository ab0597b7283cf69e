// Package step10 computes the hit test in SSE instructions, four spheres at a
// time.
//
// The kernel is written in Go's assembler and called once a ray. Its first pass
// collects the candidates, a bit a sphere, without a jump that depends on them; its
// second pass looks at those only, and finds the closest hit. On arm64 the kernel is
// in NEON instructions; other processors run the same function in plain Go.
//
// Besides, the coordinates of a pixel are multiplied by the inverse of the
// picture's size in place of being divided by it.
package step10
