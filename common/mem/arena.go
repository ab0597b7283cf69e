package mem

import (
	"reflect"
	"unsafe"
)

// DefaultBlockSize is the size in bytes of a block of an [Arena] that does not say
// otherwise: pbrt's.
const DefaultBlockSize = 256 << 10

// Arena hands out memory from large blocks and takes it back all at once (after
// pbrt's MemoryArena, appendix A.4.3). An allocation moves an offset and clears
// the memory; values that are allocated one after the other lie side by side,
// each at a multiple of 16 bytes, which is enough for every type and for the aligned
// loads of SSE. It suits many small values of the same lifetime, such as those of a
// ray, a tile or a scene. The garbage collector sees a block where it would see
// thousands of objects.
//
// [New] and [MakeSlice] allocate. They refuse types with pointers, as [Aligned]
// does and for the same reason.
//
// The zero value is an empty arena, ready to use. An arena must not be copied
// after its first use: both copies would hand out the same memory. It is not
// safe for concurrent use; give each goroutine an arena.
type Arena struct {
	// BlockSize is the size of a block in bytes, rounded up to a multiple of 16. A
	// single allocation that needs more gets a block of its own size. It counts for
	// blocks to come; 0 or less is [DefaultBlockSize].
	BlockSize int

	block []unit // the block that allocations are cut from, or nil
	pos   int    // units of it that are taken

	blocks [][]unit // those in use first, in the order of their use
	inUse  int

	checked any // (*T)(nil) of the type that was allocated last
}

// unit is what allocations are multiples of.
type unit [2]uint64

const unitSize = int(unsafe.Sizeof(unit{}))

func units(bytes int) int { return (bytes + unitSize - 1) / unitSize }

// Reset takes all memory back and keeps the blocks for the allocations to come.
// What was allocated before must not be used any more: it stays valid memory,
// but new values will be written over it. The same allocations again need no
// new block.
//
// To let go of the blocks, let go of the arena, or assign Arena{} to it.
func (a *Arena) Reset() { a.block, a.pos, a.inUse = nil, 0, 0 }

// TotalAllocated returns the size of all blocks in bytes, in use or not.
func (a *Arena) TotalAllocated() int {
	total := 0
	for _, b := range a.blocks {
		total += unitSize * len(b)
	}
	return total
}

// New returns a pointer to a zero T in the arena. It panics if T contains a
// pointer. As with new, values of size 0 may have the same address.
func New[T any](a *Arena) *T {
	if _, ok := a.checked.(*T); !ok {
		refusePointers(reflect.TypeFor[T]()) // takes much longer than an allocation
		a.checked = (*T)(nil)
	}
	var zero T
	if unsafe.Sizeof(zero) == 0 {
		return new(T)
	}
	p := (*T)(a.take(units(int(unsafe.Sizeof(zero)))))
	*p = zero
	return p
}

// MakeSlice returns n zero elements in the arena. The capacity is n as well, so
// appending copies the slice, to memory outside the arena. It panics if T
// contains a pointer, if n is negative or if n elements exceed the address
// space.
func MakeSlice[T any](a *Arena, n int) []T {
	if _, ok := a.checked.(*T); !ok {
		refusePointers(reflect.TypeFor[T]()) // takes much longer than an allocation
		a.checked = (*T)(nil)
	}
	var zero T
	size := sizeOf(n, unsafe.Sizeof(zero))
	if size == 0 {
		return make([]T, n)
	}
	s := unsafe.Slice((*T)(a.take(units(size))), n)
	clear(s)
	return s
}

// take returns n units, which may hold anything.
func (a *Arena) take(n int) unsafe.Pointer {
	if a.pos+n > len(a.block) {
		a.next(n)
	}
	p := unsafe.Pointer(&a.block[a.pos])
	a.pos += n
	return p
}

// next makes the first free block with room for n units the one that allocations
// are cut from, or a new one. So the same allocations after a Reset find the same
// blocks.
func (a *Arena) next(n int) {
	i := a.inUse
	for i < len(a.blocks) && len(a.blocks[i]) < n {
		i++
	}
	if i == len(a.blocks) {
		size := a.BlockSize
		if size <= 0 {
			size = DefaultBlockSize
		}
		a.blocks = append(a.blocks, Aligned[unit](max(n, units(size)), CacheLine))
	}
	a.blocks[i], a.blocks[a.inUse] = a.blocks[a.inUse], a.blocks[i]
	a.block, a.pos = a.blocks[a.inUse], 0
	a.inUse++
}
