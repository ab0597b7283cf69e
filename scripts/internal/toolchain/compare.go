package toolchain

import "strings"

// Surplus returns how many instructions of a have an operation, such as MULSS, that b
// does not have as often. If there are none either way, all that may differ is the
// order, and the registers and addresses that are used.
func Surplus(a, b Function) int {
	more := map[string]int{} // of a than of b, by operation
	count := func(f Function, by int) {
		for _, in := range f.Instructions {
			op, _, _ := strings.Cut(in.Text, " ")
			more[op] += by
		}
	}
	count(a, 1)
	count(b, -1)
	surplus := 0
	for _, n := range more {
		surplus += max(n, 0)
	}
	return surplus
}
