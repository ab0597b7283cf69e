//go:build !purego

package peak

import "golang.org/x/sys/cpu"

// loop does one thing over and over.
type loop struct {
	op      string
	bits    int         // of an operand, or 0
	count   int         // operations of a round
	run     func(n int) // does n rounds, at least one
	missing string      // why it cannot run here, in words for a reader, or empty
}

const (
	operations = 56  // of a round: four for each of the fourteen registers
	nops       = 448 // of the loop that does nothing
	links      = 64  // additions of a round of the chain, a cycle each
)

// loops returns what can be measured, in the order of a table.
func loops() (all []loop) {
	all = append(all, loop{"nop", 0, nops, nop, ""})
	for _, width := range []struct {
		bits int
		run  [6]func(n int)
		has  bool
		what string
	}{
		{128, [6]func(n int){add128, mul128, fma128, addMul128, load128, store128}, cpu.X86.HasAVX2 && cpu.X86.HasFMA, "AVX2 or FMA"},
		{256, [6]func(n int){add256, mul256, fma256, addMul256, load256, store256}, cpu.X86.HasAVX2 && cpu.X86.HasFMA, "AVX2 or FMA"},
		{512, [6]func(n int){add512, mul512, fma512, addMul512, load512, store512}, cpu.X86.HasAVX512F, "AVX-512"},
	} {
		missing := ""
		if !width.has {
			missing = "the processor lacks " + width.what + ", or GODEBUG masks it"
		}
		for i, op := range []string{"add", "mul", "fma", "add+mul", "load", "store"} {
			all = append(all, loop{op, width.bits, operations, width.run[i], missing})
		}
	}
	return all
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

func add256(n int)
func mul256(n int)
func fma256(n int)
func addMul256(n int)
func load256(n int)
func store256(n int)

func add512(n int)
func mul512(n int)
func fma512(n int)
func addMul512(n int)
func load512(n int)
func store512(n int)
