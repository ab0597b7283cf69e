package mem

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// maxAlign is the largest boundary that [Aligned] accepts, in bytes: a large page of most
// processors. Up to as much memory is lost to a slice.
const maxAlign = 2 << 20

// Aligned returns n zero elements, the first of which lies at a multiple of
// align bytes. The capacity is n as well, so appending copies the slice, to
// memory of no particular alignment. A slice of 0 bytes has no address to
// speak of and is not aligned.
//
// T must not contain a pointer, nor anything that is one behind the scenes:
// strings, slices, maps, channels, functions, interfaces. A uintptr is a
// number and keeps nothing alive.
//
// As make does, Aligned panics if it is called wrongly: if T contains a
// pointer, if n is negative or n elements exceed the address space, or if
// align is not a power of two from 1 to 2 MiB.
func Aligned[T any](n, align int) []T {
	t := reflect.TypeFor[T]()
	refusePointers(t)
	if align < 1 || align > maxAlign || align&(align-1) != 0 {
		panic(fmt.Sprintf("mem: alignment is %d; want a power of two from 1 to %d", align, maxAlign))
	}
	size := sizeOf(n, t.Size())
	if size == 0 {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(block(size, max(align, t.Align()))))), n)
}

// block is not inlined so that its slice is always on the heap: the runtime
// moves stacks, and what was aligned on the old one need not be on the new.
//
//go:noinline
func block(size, align int) []byte {
	b := make([]byte, size+align-1)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & uintptr(align-1))
	return b[skip : skip+size : skip+size]
}

// sizeOf returns the size of n elements in bytes, to which an alignment may be
// added. It panics if there cannot be as many.
func sizeOf(n int, size uintptr) int {
	if n < 0 || size > 0 && uintptr(n) > (math.MaxInt-maxAlign)/size {
		panic(fmt.Sprintf("mem: length is %d, of %d-byte elements; want 0 or more, within the address space", n, size))
	}
	return n * int(size)
}

// refusePointers panics if a value of type t contains a pointer.
func refusePointers(t reflect.Type) {
	if hasPointers(t) {
		panic(fmt.Sprintf("mem: %v holds pointers, which the garbage collector would not see here; want new or make", t))
	}
}

func hasPointers(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	default:
		return k > reflect.Complex128
	}
}
