//go:build !purego

package experiments

// chain does n rounds of additions, each of which waits for the one before.
func chain(n int)

// nop does n rounds of 448 instructions. Each of the others does n rounds, at least one, of
// 56 operations: four for each of fourteen registers.
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
