//go:build !purego

package experiments

// Each does n rounds, at least one: of 448 instructions that do nothing; of 64 additions,
// each of which waits for the one before; of four times storing sixteen bytes and loading
// them again; and the others of 56 operations, four for each of fourteen registers.

func nop(n int)
func chain(n int)
func store16load16(n int)
func store4x4load16(n int)

func add128(n int)
func mul128(n int)
func fma128(n int)
func addMul128(n int)
func load128(n int)

func add256(n int)
func mul256(n int)
func fma256(n int)
func addMul256(n int)
func load256(n int)

func add512(n int)
func mul512(n int)
func fma512(n int)
func addMul512(n int)
func load512(n int)
