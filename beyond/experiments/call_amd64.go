//go:build !purego

package experiments

// Each does n iterations, at least one, of sixteen additions, and returns four for each. Four times
// in an iteration it calls a function that does nothing, jumps there and back, with or without a
// number that it pushes before and pops there, or does not.

func noCalls(n int) int
func calledBack(n int) int
func jumpedBack(n int) int
func pushedBack(n int) int
