// Package peak measures how many operations one core begins in a cycle at most:
// additions, multiplications, fused ones, additions and multiplications together,
// loads and stores, of 128, 256 and 512 bits, and instructions that do nothing. The
// chapters say how much longer a loop takes than its operations need:
//
//	go test -bench . ./scripts/peak
//
// It is for amd64 alone.
//
// No operation of a loop waits for another (a fused one adds to its register, and
// there are fourteen), so what counts is how many the core can begin, and not how
// long one takes. A round is long, since it takes whole cycles: of fourteen operations
// that begin four at a time, a Zen 5 does a round in four cycles and shows 3.4 of four;
// of fifty-six it shows 3.97.
package peak
