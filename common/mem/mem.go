// Package mem hands out memory that is laid out with the processor's caches and
// registers in mind (after pbrt, appendix A.4).
//
// Go's allocator aligns a slice for its element type and promises nothing more.
// [Aligned] starts one on a boundary of the caller's choice. [Isolated] and
// [NewIsolated] memory is in cache lines that hold nothing else, for what one goroutine
// writes to while others run. [Arena] and [Blocked] are for experiments: no step is faster
// with either.
//
// Only types without pointers are aligned, blocked or put into an arena: the
// garbage collector learns where pointers are from the type that memory was
// allocated as. NewIsolated takes any type. Nothing needs to be freed.
package mem

const (
	// CacheLine is the usual size of a cache line in bytes, and what to align
	// to if in doubt: no register that a vector load fills is wider.
	CacheLine = 64

	// Isolation is how far apart two things have to lie so that two cores do not
	// write to the same cache line: 128 bytes. That is a line of Apple's
	// processors, and two lines that Intel's fetch together. It holds for all
	// processors, since memory is laid out when a program is compiled, and costs
	// nothing but the bytes.
	Isolation = 128
)
