package mem

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

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
// align is not a power of two from 1 to [MaxAlign].
func Aligned[T any](n, align int) []T {
	t := reflect.TypeFor[T]()
	checkType("Aligned", t, "aligned memory", "use make")
	align = max(checkAlign("Aligned", align), t.Align())
	size := checkLength("Aligned", n, int(t.Size()), align)
	if size == 0 {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(block(size, align)))), n)
}

// HasPointers reports whether a value of type T contains a pointer, in the
// sense of [Aligned].
func HasPointers[T any]() bool {
	_, kind := pointer(reflect.TypeFor[T]())
	return kind != reflect.Invalid
}

// checkType panics if a value of type t contains a pointer.
func checkType(caller string, t reflect.Type, place, instead string) {
	if path, kind := pointer(t); kind != reflect.Invalid {
		panic(fmt.Sprintf("mem.%s: %v holds pointers (%v%s), which the garbage collector would not see in %s; %s",
			caller, t, kind, path, place, instead))
	}
}

// checkAlign returns align, or panics if nothing can be aligned to it.
func checkAlign(caller string, align int) int {
	if align < 1 || align > MaxAlign || align&(align-1) != 0 {
		panic(fmt.Sprintf("mem.%s: alignment is %d; want a power of two from 1 to %d", caller, align, MaxAlign))
	}
	return align
}

// checkLength returns the size of n elements in bytes, or panics if they cannot
// be.
func checkLength(caller string, n, size, align int) int {
	if n < 0 || size > 0 && n > (math.MaxInt-align)/size {
		panic(fmt.Sprintf("mem.%s: length out of range [%d] of %d-byte elements", caller, n, size))
	}
	return n * size
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

// pointer finds the first pointer in a value of type t. It returns where it is
// (empty if it is the whole value) and its kind, or reflect.Invalid if there is
// none.
func pointer(t reflect.Type) (path string, kind reflect.Kind) {
	switch k := t.Kind(); {
	case reflect.Bool <= k && k <= reflect.Complex128:
		return "", reflect.Invalid
	case k == reflect.Array:
		if t.Len() == 0 {
			return "", reflect.Invalid
		}
		return pointer(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if path, kind := pointer(t.Field(i).Type); kind != reflect.Invalid {
				if path == "" {
					path = " in field "
				} else {
					path += " of "
				}
				return path + t.Field(i).Name, kind
			}
		}
		return "", reflect.Invalid
	default:
		return "", k
	}
}
