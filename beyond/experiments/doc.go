// Package experiments holds loops in assembly that explain what steps measure.
//
// Ablation times the hit tests of steps 10 and 12 and of avx512 without their second pass,
// and that of step 10 without SSE's copies: what that gains is what it costs. Without
// the second pass there is no hit, and SSE has no instructions without copies. Their headers are
// made from the assembly of the steps:
//
//	go test ./beyond/experiments -update
//
// Candidates asks all discriminants of step 10's first pass afterwards instead of bits.
//
// First takes the first pass of step 10 to that of step 12 in three parts: three operands,
// fused operations, wider registers.
//
// Forwarding asks what a load waits for that follows a store, and Overlap whether other work
// hides that.
//
// Misprediction asks what a mispredicted jump or call costs, by the loads before it.
//
// Scalar is the first pass of step 8 with the copies of SSE or without, and with the loads that
// these make necessary or without.
//
// Extra asks what instructions cost beside that loop that nothing waits for, and Transition what it
// costs to go from instructions of AVX to those of SSE and back. Call takes an empty call apart.
//
// Peak measures how many operations one core begins in a cycle at most. No operation of a
// loop waits for another (a fused one adds to its register, and there are fourteen). A round
// is long, since it takes whole cycles: of fourteen operations that begin four at a time, a
// Zen 5 does a round in four cycles and shows 3.4 of four; of fifty-six it shows 3.97.
//
//	go test -run '^$' -bench . ./beyond/experiments
//
// All are for amd64 alone.
package experiments
