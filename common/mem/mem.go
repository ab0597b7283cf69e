// Package mem hands out memory that is laid out with the processor's caches and
// registers in mind (after pbrt, appendix A.4). It has two duties.
//
// The steps, the film and the instruments use [Aligned], [Isolated] and
// [NewIsolated]. Go's allocator aligns a slice for its element type and promises
// nothing more, so a float32 column may begin 4 bytes into a cache line: then
// objects that would fit in one line straddle two, and an aligned vector load
// faults. Aligned starts a slice on a boundary of the caller's choice. pbrt gained
// about 3% by aligning the nodes of its kd-tree alone. Isolated memory is in cache
// lines that hold nothing else, for what one goroutine writes to while others run.
//
// [Arena] and [Blocked] are for experiments, which show what they would gain: an
// arena puts values that are allocated one by one next to each other and frees
// them all at once, and Blocked keeps neighbors in a two-dimensional array
// together. No step is faster with either. For a variable number of temporary
// values on the stack (pbrt's ALLOCA, appendix A.4.1) Go needs no package: what
// does not outlive a function is on the stack already, if the compiler knows its
// size and it is not large.
//
// Only types without pointers are aligned or put into an arena. In C++ such
// memory is just bytes and may hold anything; in Go the garbage collector
// learns where the pointers are from the type that memory was allocated as, so
// pointers in memory that was allocated as bytes would not keep what they point
// to alive. NewIsolated and Blocked take any type.
//
// Nothing needs to be freed: memory goes when the last pointer into it does.
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
