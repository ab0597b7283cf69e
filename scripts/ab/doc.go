// Ab compares the benchmarks of two versions of Go packages: a revision with the folder as it
// is, or two revisions. Each test binary is linked in many orders, and all take turns in
// slices of milliseconds. The table has the time of the old version, the new over the old with
// the 95 % interval, or ~ if that contains 1, and the old version over itself, in other link
// orders: noise. Packages whose test binaries are equal are left out. Nothing is changed in
// the folder or its repository. If only toolchains or flags differ, both are one source.
//
// With -places, one version in many link orders is measured beside one program of it: how far
// they spread, what the place of the hottest function explains, and what alignment ends.
//
// The exit status is 0 if nothing is over a limit, 1 if something is, 2 for a misuse, and 3 if
// nothing could be measured.
//
// Examples:
//
//	go run ./scripts/ab -C ../mine -against HEAD~1 -bench Compress ./fse
//	go run ./scripts/ab -C ../mine -time 5m -fail-over 5 -fail-allocs ./...
//	go run ./scripts/ab -C ../mine -new-go go1.27.4 -counts
package main
