// Package peak measures how many operations one core begins in a cycle at most:
// additions, multiplications, fused ones, additions and multiplications together,
// loads and stores, of 128, 256 and 512 bits, and instructions that do nothing. The
// chapters say how much longer a loop takes than its operations need:
//
//	go test -bench . ./scripts/peak
//
// No operation of a loop waits for another (a fused one adds to its register, and
// there are fourteen), so what counts is how many the core can begin, and not how
// long one takes. The rejected design had seven sums and seven products that each
// waited for the one before: enough by the latencies, but one that is late once delays
// all that follow, and a Zen 5 reached 3.4 of four.
package peak

// loop does one thing over and over.
type loop struct {
	op      string
	bits    int         // of an operand, or 0
	count   int         // operations of a round
	run     func(n int) // does n rounds, at least one
	missing string      // why it cannot run here, in words for a reader, or empty
}

const (
	registers = 14  // that a loop writes to: a round writes once to each
	nops      = 112 // of the loop that does nothing
	links     = 64  // additions of a round of the chain, a cycle each
)
