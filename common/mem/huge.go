package mem

import (
	"reflect"
	"unsafe"
)

// hugePage is the size of a large page of most processors.
const hugePage = 2 << 20

// Huge returns n zero elements from a multiple of [CacheLine] on, as [Aligned] does.
// If they fill a huge page, they are in huge pages where the system gives them on
// request: a search in megabytes then waits less for page tables.
func Huge[T any](n int) []T {
	t := reflect.TypeFor[T]()
	size := sizeOf(n, t.Size())
	if size < hugePage {
		return Aligned[T](n, CacheLine)
	}
	refusePointers(t)
	b := block((size+hugePage-1)&^(hugePage-1), hugePage)
	adviseHuge(b)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}
