package tree

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"raysteps/common/mem"
)

// huge returns n elements from a multiple of a cache line on. If they fill a huge page,
// they are in huge pages where the system gives them on request: a search in megabytes then
// waits less for page tables.
func huge[T any](n int) []T {
	const page = 2 << 20
	one := int(unsafe.Sizeof(*new(T)))
	if n*one < page {
		return mem.Aligned[T](n, mem.CacheLine)
	}
	size := (n*one + page - 1) &^ (page - 1) // or the last page is a small one
	s := mem.Aligned[T]((size+one-1)/one, page)
	pages := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), size)
	// They are no promise, so an error counts for nothing.
	_ = unix.Madvise(pages, unix.MADV_HUGEPAGE)
	_ = unix.Madvise(pages, unix.MADV_COLLAPSE) // what has been written to before, and has small pages
	return s[:n:n]
}
