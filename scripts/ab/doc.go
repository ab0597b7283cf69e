// Ab compares the benchmarks of two versions of a Go package: a revision with the folder
// as it is, or two revisions. Each is linked in many orders, and all take turns in slices
// of milliseconds. The table has the time of the old version, the new over the old with the
// 95 % interval, or ~ if that contains 1, and the old version over itself, linked again:
// noise. Nothing is changed in the folder or its repository.
//
//	go run ./scripts/ab -C ../mine -against HEAD~1 -bench Compress ./fse
package main
