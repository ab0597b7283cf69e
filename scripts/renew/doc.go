// Renew measures what docs/archsimd.md shows with a release of Go, and says what differs
// from the page:
//
//	go run ./scripts/renew go1.27.4
//
// It runs the tests and the program of traps; counts the instructions of the vectorized
// loops in what the compiler prints, for amd64, arm64 and wasm; and has bench measure the experiments
// Kernels and Widths, and Kernels with GOAMD64=v1, v3 and v4 beside each other. Counts and
// measurements go to the file of this machine, as those of bench do.
//
// Then it prints a line for each trap that is another, for each count that is, and for each
// ratio of two ways whose interval does not meet the published one. A release that the
// kernels do not compile with is an error: its methods may have other names.
package main
