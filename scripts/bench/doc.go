// Bench measures the steps and prints a table for each scene: rays a second, the
// speed over step 1 and over the step before, and what the place of its code is worth
// to a step. Behind a ratio is its 95 % interval; ~ stands for a ratio that may be 1.
// Two processes stand beside each other, in which all steps are linked in different orders.
// The last row is step 1 in the second over step 1 in the first: what it differs by is
// noise. docs/measuring.md tells how it works.
//
// The measurements go to the file of this machine in results/local, which git ignores,
// in the place of earlier ones of the same. Ctrl-C keeps the link orders that are finished.
// With -against, -builds, -counts or -experiments it measures something else.
//
// Examples:
//
//	go run ./scripts/bench -quick                          # the thirteen steps, about a minute and a half
//	go run ./scripts/bench                                 # and those of beyond, about twelve minutes
//	go run ./scripts/bench -step 1,3-4,avx512 -time 30s    # some of them
//	go run ./scripts/bench -against HEAD -step 4           # what a change of step 4 did
//	go run ./scripts/bench -experiments all -step 4        # the benchmarks of chapter 4
//	go run ./scripts/bench -experiments Sizes              # scenes of 2 to 1,000,000 spheres, on one core
//	go run ./scripts/bench -experiments Slice,Full -step 12   # slices beside whole pictures
//	go run ./scripts/bench -builds v1,v3,v1+pgo,go1.27.4   # builds and releases of Go
//	go run ./scripts/bench -counts                         # what a ray executes, by valgrind
//	go tool benchstat -ignore link-order,place -col pkg -row /scene FILE
package main
