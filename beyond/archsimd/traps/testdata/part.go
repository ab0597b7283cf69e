// A part of a vector can be loaded that ends where a page ends, with none after it, as at the
// end of a file that is mapped.
package main

import (
	"simd/archsimd"
	"syscall"
	"unsafe"
)

func main() {
	pages, err := syscall.Mmap(-1, 0, 8192, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil || syscall.Mprotect(pages[4096:], syscall.PROT_NONE) != nil {
		println("cannot happen here: it takes a page without a neighbor")
		return
	}
	x, _ := archsimd.LoadUint64x4Part(unsafe.Slice((*uint64)(unsafe.Pointer(&pages[4096-3*8])), 3))
	if x.GetLo().GetElem(0) == 0 {
		println("right")
	}
}
