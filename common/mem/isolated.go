package mem

import "unsafe"

// Isolation is how far apart two things have to lie so that two cores do not
// write to the same cache line: 128 bytes. That is a line of Apple's processors,
// and two lines that Intel's fetch together.
const Isolation = 128

// Isolated returns n zero elements in cache lines that hold nothing else. Two
// goroutines that write to slices of their own from Isolated never write to
// the same line, so they do not slow each other down by false sharing. It
// panics as [Aligned] does.
func Isolated[T any](n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if size == 0 || n <= 0 {
		return Aligned[T](n, Isolation)
	}
	// Enough elements more to fill the last line.
	return Aligned[T](n+(Isolation-1+size-1)/size, Isolation)[:n:n]
}
