package mem

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// BlockSize is the size of a block of an [Arena] in bytes, unless [NewArena]
// is given another.
const BlockSize = 256 << 10

// Arena hands out memory from large blocks and takes it back all at once (after
// pbrt's MemoryArena, appendix A.4.3). An allocation moves an offset and clears
// the memory; values that are allocated one after the other lie side by side,
// at the natural alignment of their types. (pbrt rounds to 16 bytes, as it is
// not told the type.) It suits many small values of the same lifetime, such as
// those of a ray, a tile or a scene. The garbage collector sees a block where it
// would see thousands of objects.
//
// [New] and [MakeSlice] allocate. They refuse types with pointers, as [Aligned]
// does and for the same reason.
//
// The zero value is an empty arena, ready to use. An arena must not be copied
// after its first use: both copies would hand out the same memory. It is not
// safe for concurrent use; give each goroutine an arena of its own.
type Arena struct {
	block    unsafe.Pointer // the block that allocations are cut from, or nil
	pos, end uintptr        // the bytes of it that are taken, and its size

	checked any                       // (*T)(nil) of the type that was allocated last
	types   map[reflect.Type]struct{} // those that have no pointers

	// The language aligns a []uint64 to 8 bytes, which is enough for every type.
	size    int        // of a block, in bytes; 0 is BlockSize
	blocks  [][]uint64 // all of one size, those in use first
	large   [][]uint64 // for requests that exceed a block, those in use first
	inBlock int        // blocks in use
	inLarge int        // large ones in use
	total   int
}

// NewArena returns an arena with blocks of the given size in bytes, rounded up
// to a multiple of 8. It panics if the size is not positive.
func NewArena(size int) *Arena {
	if size < 1 || size > math.MaxInt-7 {
		panic(fmt.Sprintf("mem.NewArena: size of a block is %d; want at least 1", size))
	}
	return &Arena{size: (size + 7) &^ 7}
}

// Reset takes all memory back and keeps the blocks for the allocations to come.
// What was allocated before must not be used any more: it stays valid memory,
// but new values will be written over it. The same allocations again need no
// new block.
//
// To let go of the blocks, let go of the arena, or assign Arena{} to it.
func (a *Arena) Reset() {
	a.block, a.pos, a.end = nil, 0, 0
	a.inBlock, a.inLarge = 0, 0
}

// TotalAllocated returns the size of all blocks in bytes, in use or not.
func (a *Arena) TotalAllocated() int { return a.total }

// New returns a pointer to a zero T in the arena. It panics if T contains a
// pointer. As with new, values of size 0 may have the same address.
func New[T any](a *Arena) *T {
	if _, ok := a.checked.(*T); !ok {
		a.check("New", (*T)(nil), "use new")
	}
	var zero T
	if unsafe.Sizeof(zero) == 0 {
		return new(T)
	}
	p := (*T)(a.take(unsafe.Sizeof(zero), unsafe.Alignof(zero)))
	*p = zero
	return p
}

// MakeSlice returns n zero elements in the arena. The capacity is n as well, so
// appending copies the slice, to memory outside the arena. It panics if T
// contains a pointer, if n is negative or if n elements exceed the address
// space.
func MakeSlice[T any](a *Arena, n int) []T {
	return makeSlice[T](a, n, 1, "MakeSlice")
}

// MakeAligned is MakeSlice with the first element at a multiple of align bytes.
// It panics if align is not a power of two from 1 to [MaxAlign], too.
func MakeAligned[T any](a *Arena, n, align int) []T {
	return makeSlice[T](a, n, align, "MakeAligned")
}

func makeSlice[T any](a *Arena, n, align int, caller string) []T {
	if _, ok := a.checked.(*T); !ok {
		a.check(caller, (*T)(nil), "use make")
	}
	var zero T
	align = max(checkAlign(caller, align), int(unsafe.Alignof(zero)))
	size := checkLength(caller, n, int(unsafe.Sizeof(zero)), align)
	if size == 0 {
		return make([]T, n)
	}
	s := unsafe.Slice((*T)(a.take(uintptr(size), uintptr(align))), n)
	clear(s)
	return s
}

// check panics if the type that p points to has pointers. Looking at a type
// takes much longer than an allocation, so each is looked at once an arena.
func (a *Arena) check(caller string, p any, instead string) {
	t := reflect.TypeOf(p).Elem()
	if _, ok := a.types[t]; !ok {
		checkType(caller, t, "an arena", instead)
		if a.types == nil {
			a.types = make(map[reflect.Type]struct{})
		}
		a.types[t] = struct{}{}
	}
	a.checked = p
}

// take returns size bytes at a multiple of align. They may hold anything.
func (a *Arena) take(size, align uintptr) unsafe.Pointer {
	at := a.pos + -(uintptr(a.block)+a.pos)&(align-1)
	if at+size > a.end {
		return a.takeMore(size, align)
	}
	a.pos = at + size
	return unsafe.Add(a.block, at)
}

// takeMore is take for what the block has no room for.
func (a *Arena) takeMore(size, align uintptr) unsafe.Pointer {
	if a.size == 0 {
		a.size = BlockSize
	}
	if need := int(size + max(align, 8) - 8); need > a.size {
		// The block stays the one that is cut from: it may have much room.
		block := a.takeLarge(need)
		return unsafe.Add(block, -uintptr(block)&(align-1))
	}
	if a.inBlock == len(a.blocks) {
		a.blocks = append(a.blocks, a.grow(a.size))
	}
	a.block, a.pos, a.end = unsafe.Pointer(unsafe.SliceData(a.blocks[a.inBlock])), 0, uintptr(a.size)
	a.inBlock++
	return a.take(size, align)
}

// takeLarge returns a block of at least so many bytes that is used for nothing
// else. Of those that are free it takes the smallest that is large enough; so
// after a Reset the same requests find blocks in any order.
func (a *Arena) takeLarge(need int) unsafe.Pointer {
	best := -1
	for i := a.inLarge; i < len(a.large); i++ {
		if n := len(a.large[i]); n*8 >= need && (best < 0 || n < len(a.large[best])) {
			best = i
		}
	}
	if best < 0 {
		best = len(a.large)
		a.large = append(a.large, a.grow(need))
	}
	block := a.large[best]
	a.large[best], a.large[a.inLarge] = a.large[a.inLarge], block
	a.inLarge++
	return unsafe.Pointer(unsafe.SliceData(block))
}

func (a *Arena) grow(bytes int) []uint64 {
	block := make([]uint64, (bytes+7)/8)
	a.total += len(block) * 8
	return block
}
