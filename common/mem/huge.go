package mem

import "unsafe"

// hugePage is the size of a large page of most processors.
const hugePage = 2 << 20

// Huge returns n zero elements from a multiple of [CacheLine] on, as [Aligned] does.
// If they fill a huge page, they are in huge pages where the system gives them on
// request: a search in megabytes then waits less for page tables.
func Huge[T any](n int) []T {
	var zero T
	one := int(unsafe.Sizeof(zero))
	size := sizeOf(n, uintptr(one))
	if size < hugePage {
		return Aligned[T](n, CacheLine)
	}
	size = (size + hugePage - 1) &^ (hugePage - 1) // or the last page is a small one
	s := Aligned[T]((size+one-1)/one, hugePage)
	adviseHuge(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), size))
	return s[:n:n]
}
