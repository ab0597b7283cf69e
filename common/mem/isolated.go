package mem

import "unsafe"

// Isolated returns n zero elements in cache lines that hold nothing else. Two
// goroutines that write to slices of their own from Isolated never write to
// the same line, so they do not slow each other down by false sharing. It
// panics as [Aligned] does.
func Isolated[T any](n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if size == 0 || n <= 0 {
		return Aligned[T](n, CacheLine)
	}
	// Enough elements more to fill the last line.
	return Aligned[T](n+(CacheLine-1+size-1)/size, CacheLine)[:n:n]
}
