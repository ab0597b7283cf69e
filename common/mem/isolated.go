package mem

import "unsafe"

// Isolated returns n zero elements in cache lines that hold nothing else. Two
// goroutines that write to different slices from Isolated never write to the same
// line, so they do not slow each other down by false sharing. T must not contain
// a pointer; Isolated panics as [Aligned] does.
func Isolated[T any](n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if size == 0 || n <= 0 {
		return Aligned[T](n, Isolation)
	}
	// Enough elements more to fill the last line.
	return Aligned[T](n+(Isolation-1+size-1)/size, Isolation)[:n:n]
}

// NewIsolated returns a zero T with nothing near it that anybody writes to: the
// [Isolation] bytes before it and after it are unused. T may contain pointers,
// for which the value is not aligned.
//
// A type whose last field is [Isolation]byte would be kept apart from others of
// its kind only, and a copy of it would copy the padding too.
func NewIsolated[T any]() *T {
	p := new(struct {
		_     [Isolation]byte
		value T
		_     [Isolation]byte
	})
	return &p.value
}
