// Package step11 shortens the chain of operations that a path waits for.
//
// A path is a chain, in which each ray waits for the one before. Its links become
// shorter: a hit is returned in registers, directions of length 1 are not made so again,
// and the coordinates of a point come from generators side by side. Points are drawn ahead,
// and a bit says which are in the ball: a jump that asks is the toss of a coin, which no
// processor can predict.
package step11
