// Diff shows what changes from one step to another as a unified diff, colored on a
// terminal unless NO_COLOR is set. The package clause and doc.go do not count, and
// neither do tests, nor files that a build for this machine leaves out, or for the
// machine that -target names; the first sentence of the later step's package comment is the
// heading. Of a generated file only the name is shown.
// Steps are numbers or folders; with one, the step that it goes on from is the
// other.
//
// Examples:
//
//	go run ./scripts/diff 4
//	go run ./scripts/diff 3 4
//	go run ./scripts/diff step01 step04
//	go run ./scripts/diff -target linux/arm64 10
package main
