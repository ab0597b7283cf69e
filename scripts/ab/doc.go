// Ab compares the benchmarks of two versions of Go packages: a revision with the folder as it
// is, or two revisions. Each test binary is linked in many orders, and all take turns in
// slices of milliseconds. The table has the times of both versions, the new over the old with
// the 95 % interval, or ~ if that contains 1, and the old version over itself, in other link
// orders: noise. Packages whose test binaries and testdata are equal are left out. Nothing is
// changed in the folder or its repository. If only toolchains or flags differ, both are one source.
//
// Three flags measure one version. -places says what link orders do to it, what the place of the
// hottest function explains, and what alignment ends. -floor measures it against itself, and says
// the smallest -fail-over that this machine can hold in this time. -canary 3 plants 3 % of work in
// its benchmarks, and says how many are called: the exit status is that of such a change.
//
// The exit status is 0 if nothing is over a limit and this run could tell, 1 if something is over
// it, 2 for a misuse, and 3 if that is not known, or nothing could be measured.
//
// Examples:
//
//	go run ./scripts/ab -C ../mine -against HEAD~1 -bench Compress ./fse
//	go run ./scripts/ab -C ../mine -time 5m -fail-over 5 -fail-allocs ./...
//	go run ./scripts/ab -C ../mine -new-go go1.27.4 -counts
package main
