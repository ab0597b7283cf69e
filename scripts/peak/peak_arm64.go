//go:build !purego

package peak

// loops returns the loops of NEON registers.
func loops() []loop {
	return []loop{
		{"nop", 0, nops, nop, ""},
		{"add", 128, operations, add128, ""}, {"mul", 128, operations, mul128, ""}, {"fma", 128, operations, fma128, ""},
		{"add+mul", 128, operations, addMul128, ""}, {"load", 128, operations, load128, ""}, {"store", 128, operations, store128, ""},
	}
}

// chain does n rounds of additions, each of which waits for the one before.
func chain(n int)

func nop(n int)
func add128(n int)
func mul128(n int)
func fma128(n int)
func addMul128(n int)
func load128(n int)
func store128(n int)
