// Package step11 draws random points ahead, without a jump that nobody can predict,
// and shortens the chain of operations that a path waits for.
//
// Whether a random point is in a ball is the toss of a coin, which no processor can
// predict. So points are drawn ahead, and a bit says which are in the ball: no jump
// asks. And a path is a chain, in which each ray waits for the one before. Its links
// become shorter: the coordinates of a point come from generators side by side, a hit
// is returned in registers, and directions of length 1 are not made so again.
package step11
