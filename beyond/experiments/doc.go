// Package experiments holds loops in assembly that explain what steps measure.
//
// Ablation times the kernels of steps 10 and 12 and of avx512 with one thing taken out:
// what that gains is what it costs. What comes out is then wrong, so no step has these
// kernels. Their headers are made from the assembly of the steps, by marking lines:
//
//	go test ./beyond/experiments -update
//
// Candidates asks all discriminants of step 10's first pass afterwards, in place of bits.
//
// Forwarding asks what a load waits for that follows a store.
//
// Peak measures how many operations one core begins in a cycle at most: additions,
// multiplications, fused ones, additions and multiplications together, loads and stores,
// of 128, 256 and 512 bits, and instructions that do nothing. No operation of a loop waits
// for another (a fused one adds to its register, and there are fourteen), so what counts
// is how many the core can begin, and not how long one takes. A round is long, since it
// takes whole cycles: of fourteen operations that begin four at a time, a Zen 5 does a
// round in four cycles and shows 3.4 of four; of fifty-six it shows 3.97.
//
//	go test -run '^$' -bench . ./beyond/experiments
//
// All are for amd64 alone.
package experiments
