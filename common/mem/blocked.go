package mem

import (
	"fmt"
	"math"
	"math/bits"
)

// Blocked is a two-dimensional array that is kept in square blocks (after
// pbrt's BlockedArray, appendix A.4.4). In a plain slice, row after row,
// neighbors along v are a whole row apart. Here an element and its neighbors in
// both directions mostly share a block, and so cache lines and pages. Finding an
// element takes some shifts and masks more.
//
// The first block starts on a cache line. If a block also fills whole lines, no two
// blocks share one: goroutines that write to different blocks do not slow each
// other down.
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
// further rows and columns take memory. NewBlocked panics if T contains a pointer,
// if nu or nv is negative, if side is not a power of two, or if the array exceeds
// the address space.
func NewBlocked[T any](nu, nv, side int) *Blocked[T] {
	if side < 1 || side&(side-1) != 0 {
		panic(fmt.Sprintf("mem: side of a block is %d; want a power of two", side))
	}
	mask := side - 1
	width, height := (nu+mask)&^mask, (nv+mask)&^mask
	if nu < 0 || nv < 0 || width < nu || height < nv || width > 0 && height > math.MaxInt/width {
		panic(fmt.Sprintf("mem: size of an array is %d times %d, in blocks of %d; want 0 or more, within the address space", nu, nv, side))
	}
	shift := uint(bits.TrailingZeros(uint(side)))
	return &Blocked[T]{Aligned[T](width*height, CacheLine), nu, nv, width, mask, shift}
}

// Size returns the number of elements along u and along v.
func (b *Blocked[T]) Size() (nu, nv int) { return b.nu, b.nv }

// Side returns the number of elements along a side of a block.
func (b *Blocked[T]) Side() int { return b.mask + 1 }

// CopyFrom sets all elements from a plain slice that holds them row after row: the one
// at u, v is linear[v*nu+u]. It panics unless the slice has nu*nv elements.
func (b *Blocked[T]) CopyFrom(linear []T) {
	b.runs(linear, func(block, row []T) { copy(block, row) })
}

// CopyTo is the way back: it sets a plain slice of nu*nv elements, row after row.
func (b *Blocked[T]) CopyTo(linear []T) {
	b.runs(linear, func(block, row []T) { copy(row, block) })
}

// runs calls do with each row of each block, and the same elements of the plain slice.
func (b *Blocked[T]) runs(linear []T, do func(block, row []T)) {
	if len(linear) != b.nu*b.nv {
		panic(fmt.Sprintf("mem: slice has %d elements; want %d, for an array of %d times %d", len(linear), b.nu*b.nv, b.nu, b.nv))
	}
	for v := range b.nv {
		for u := 0; u < b.nu; u += b.Side() {
			n := min(b.Side(), b.nu-u)
			do(b.data[b.index(u, v):][:n], linear[v*b.nu+u:][:n])
		}
	}
}

// Ptr returns the address of an element. It panics unless u and v are from 0 to less
// than the size.
func (b *Blocked[T]) Ptr(u, v int) *T {
	if uint(u) >= uint(b.nu) || uint(v) >= uint(b.nv) {
		panic(indexError{u, v, b.nu, b.nv})
	}
	return &b.data[b.index(u, v)]
}

// index returns where an element is in data. The high bits of u and v say which
// block, the low bits where in the block. Above the block are width elements for each
// row that the high bits of v say; to its left are side elements for each column that
// those of u say.
func (b *Blocked[T]) index(u, v int) int {
	return v&^b.mask*b.width + (u&^b.mask|v&b.mask)<<(b.shift&63) + u&b.mask
}

// indexError is what a wrong index panics with. A panic with a plain struct is
// so short that the compiler puts Ptr in line.
type indexError struct{ u, v, nu, nv int }

func (e indexError) Error() string {
	return fmt.Sprintf("mem: index is [%d, %d]; want less than [%d, %d]", e.u, e.v, e.nu, e.nv)
}
