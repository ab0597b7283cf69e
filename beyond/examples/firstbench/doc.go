// Package firstbench is a first benchmark, with the faults that first benchmarks have: what it
// measures was left out by the compiler, or is learned by heart by the processor.
package firstbench
