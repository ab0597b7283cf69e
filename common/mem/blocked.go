package mem

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
)

// Blocked is a two-dimensional array that is kept in square blocks (after
// pbrt's BlockedArray, appendix A.4.4). In a plain slice, row after row,
// neighbors along v are a whole row apart. Here an element and its neighbors in
// both directions mostly share a block, and so cache lines and pages.
//
// Finding an element takes some shifts and masks more. A walk along u need not do
// that for each element: [Blocked.Row] returns what lies one after the other.
//
// The first block starts on a cache line if T has no pointers. If a block also
// fills whole lines, no two blocks share one: goroutines that write to
// different blocks do not slow each other down.
//
// Any number of goroutines may use different elements at once, or read the
// same.
type Blocked[T any] struct {
	data   []T
	nu, nv int
	width  int  // nu, rounded up to whole blocks
	mask   int  // side of a block, less 1
	shift  uint // its logarithm
}

// NewBlocked returns an array of nu times nv zero elements, in blocks of side
// times side elements. The blocks at the edges are whole, so up to side-1
// further rows and columns take memory. NewBlocked panics if nu or nv is
// negative, if side is not a power of two, or if the array exceeds the address
// space.
func NewBlocked[T any](nu, nv, side int) *Blocked[T] {
	if side < 1 || side&(side-1) != 0 {
		panic(fmt.Sprintf("mem: side of a block is %d; want a power of two", side))
	}
	mask := side - 1
	width, height := (nu+mask)&^mask, (nv+mask)&^mask
	if nu < 0 || nv < 0 || width < nu || height < nv || width > 0 && height > math.MaxInt/width {
		panic(fmt.Sprintf("mem: size of an array is %d times %d, in blocks of %d; want 0 or more, within the address space", nu, nv, side))
	}
	b := &Blocked[T]{nu: nu, nv: nv, width: width, mask: mask, shift: uint(bits.TrailingZeros(uint(side)))}
	if t := reflect.TypeFor[T](); hasPointers(t) {
		b.data = make([]T, width*height)
	} else {
		b.data = Aligned[T](width*height, CacheLine)
	}
	return b
}

// Size returns the number of elements along u and along v.
func (b *Blocked[T]) Size() (nu, nv int) { return b.nu, b.nv }

// Side returns the number of elements along a side of a block.
func (b *Blocked[T]) Side() int { return b.mask + 1 }

// At returns an element. It panics, as Set and Ptr do, unless u and v are from
// 0 to less than the size.
func (b *Blocked[T]) At(u, v int) T { return *b.Ptr(u, v) }

// Set changes an element.
func (b *Blocked[T]) Set(u, v int, x T) { *b.Ptr(u, v) = x }

// Ptr returns the address of an element.
func (b *Blocked[T]) Ptr(u, v int) *T {
	if uint(u) >= uint(b.nu) || uint(v) >= uint(b.nv) {
		panic(indexError{u, v, b.nu, b.nv})
	}
	return &b.data[b.index(u, v)]
}

// Row returns the elements from u, v on, along u, up to the end of the block or of
// the row: 1 to [Blocked.Side] of them, which lie one after the other in memory.
// They are those of the array and not copies. Row panics as At does. All of a row
// is
//
//	for u := 0; u < nu; {
//		row := b.Row(u, v)
//		...
//		u += len(row)
//	}
func (b *Blocked[T]) Row(u, v int) []T {
	if uint(u) >= uint(b.nu) || uint(v) >= uint(b.nv) {
		panic(indexError{u, v, b.nu, b.nv})
	}
	n := min(b.Side()-u&b.mask, b.nu-u)
	return b.data[b.index(u, v):][:n:n]
}

// index returns where an element is in data. The high bits of u and v say which
// block, the low bits where in the block. Above it are width times so many rows
// as the high bits of v say; to its left are its side times so many elements as
// those of u say.
func (b *Blocked[T]) index(u, v int) int {
	return v&^b.mask*b.width + (u&^b.mask|v&b.mask)<<(b.shift&63) + u&b.mask
}

// CopyFrom sets all elements to those of a plain slice in which the element at
// u, v has the index v*nu + u. It panics if that has another length.
func (b *Blocked[T]) CopyFrom(plain []T) {
	b.rows(plain, func(row, plain []T) { copy(row, plain) })
}

// CopyTo sets the elements of a plain slice as CopyFrom reads them.
func (b *Blocked[T]) CopyTo(plain []T) {
	b.rows(plain, func(row, plain []T) { copy(plain, row) })
}

// rows calls f for each row of each block, and the same elements of plain.
func (b *Blocked[T]) rows(plain []T, f func(row, plain []T)) {
	if len(plain) != b.nu*b.nv {
		panic(fmt.Sprintf("mem: length is %d; want %d, which is %d times %d", len(plain), b.nu*b.nv, b.nu, b.nv))
	}
	for v := range b.nv {
		for u := 0; u < b.nu; {
			row := b.Row(u, v)
			f(row, plain[v*b.nu+u:][:len(row)])
			u += len(row)
		}
	}
}

// indexError is what a wrong index panics with. A panic with a plain struct is
// so short that the compiler puts At, Set, Ptr and Row in line.
type indexError struct{ u, v, nu, nv int }

func (e indexError) Error() string {
	return fmt.Sprintf("mem: index is [%d, %d]; want less than [%d, %d]", e.u, e.v, e.nu, e.nv)
}
