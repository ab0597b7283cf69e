package kerneltest

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"raysteps/common/mem"
)

// guardWords is the number of guard words on either side of a slice, at least a
// cache line of them.
const guardWords = 16

// Guarded is a slice between guard words.
type Guarded[T uint32 | uint64 | float32] struct {
	Elements []T
	all      []T
	guard    T
}

// NewGuarded returns n elements that start so many bytes after a multiple of
// 64, rounded down to whole elements. The elements are guard words too, until
// they are written to.
func NewGuarded[T uint32 | uint64 | float32](n, offset int) Guarded[T] {
	var g Guarded[T]
	start := offset/int(unsafe.Sizeof(g.guard)) + guardWords
	g.all = mem.Aligned[T](start+n+guardWords, mem.CacheLine)
	g.guard--
	for i := range g.all {
		g.all[i] = g.guard
	}
	g.Elements = g.all[start : start+n : start+n]
	return g
}

// Check fails the test unless the guard words are as they were.
func (g *Guarded[T]) Check(t testing.TB, name string) {
	t.Helper()
	start := len(g.all) - len(g.Elements) - guardWords
	for i, v := range g.all {
		if outside := i < start || i >= len(g.all)-guardWords; outside && v != g.guard {
			t.Fatalf("wrote %v at index %d of %s; there are %d elements", v, i-start, name, len(g.Elements))
		}
	}
}

// Slice returns n elements at the start or at the end of pages, which must have
// room for them. The size of T must divide that of a page if they are to lie at
// the end.
func Slice[T any](pages []byte, atEnd bool, n int) []T {
	var e T
	if atEnd {
		pages = pages[len(pages)-n*int(unsafe.Sizeof(e)):]
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(pages))), len(pages)/int(unsafe.Sizeof(e)))[:n:n]
}

// FaultOf runs f and returns what it panics with, or the error if it touches
// memory that it may not.
func FaultOf(f func()) (fault any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() }()
	f()
	return nil
}
