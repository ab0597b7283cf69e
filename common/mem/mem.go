// Package mem hands out memory that is laid out with the processor's caches and
// registers in mind (after pbrt, appendix A.4). It has two duties.
//
// The steps, the film and the instruments use [Aligned], [Isolated] and
// [NewIsolated]. Go's allocator aligns a slice for its element type and promises
// nothing more, so objects that would fit in a cache line may straddle two, and
// an aligned vector load may fault. Aligned starts a slice on a boundary of the
// caller's choice. Isolated memory is in cache lines that hold nothing else, for
// what one goroutine writes to while others run. [Huge] memory is for the large arrays
// of a search.
//
// [Arena] and [Blocked] are for experiments: an arena puts values that are
// allocated one by one next to each other and frees them all at once, and Blocked
// keeps neighbors in a two-dimensional array together. No step is faster with
// either. For temporary values on the stack (pbrt's ALLOCA, appendix A.4.1) Go
// needs no package: the compiler puts there what does not outlive a function.
//
// Only types without pointers are aligned, blocked or put into an arena: the
// garbage collector learns where pointers are from the type that memory was
// allocated as. NewIsolated takes any type. Nothing needs to be freed: memory goes
// when the last pointer into it does.
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
