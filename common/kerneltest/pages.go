package kerneltest

import "unsafe"

// Pages is memory between two pages that may not be touched. So what lies at its
// start or end can only be read and written within its bounds.
type Pages []byte

// Slice returns n elements at the start or at the end of pages, which must have
// room for them. The size of T must divide that of a page if they are to lie at
// the end.
func Slice[T any](pages Pages, atEnd bool, n int) []T {
	var e T
	if atEnd {
		pages = pages[len(pages)-n*int(unsafe.Sizeof(e)):]
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(pages))), len(pages)/int(unsafe.Sizeof(e)))[:n:n]
}
