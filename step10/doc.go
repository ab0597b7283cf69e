// Package step10 computes the first pass in SSE instructions, four spheres at a
// time.
//
// The kernel is written in Go's assembler and called once a ray. It also
// collects the candidates, the spheres whose discriminant is not negative, so
// that the second pass looks at those only. Processors without SSE run the
// same function in plain Go.
//
// Besides, the coordinates of a pixel are multiplied by the inverse of the
// picture's size in place of being divided by it.
package step10
