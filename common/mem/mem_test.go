package mem_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
)

type odd struct{ A, B, C byte } // 3 bytes, aligned to 1

type mixed struct {
	F float32
	C complex128
	N [3]int16
	U uintptr
}

type span struct{ from, to uintptr }

// taken checks a new slice of n elements, fills every byte and returns its memory.
func taken[T any](t *testing.T, x []T, n, align int) span {
	t.Helper()
	var zero T
	require.NotNil(t, x)
	require.Equal(t, [2]int{n, n}, [2]int{len(x), cap(x)})
	from := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	require.True(t, n == 0 || from%max(uintptr(align), unsafe.Alignof(zero)) == 0, "%d elements start at %#x; want a multiple of %d", n, from, align)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), uintptr(n)*unsafe.Sizeof(zero))
	for i, v := range raw {
		if v != 0 {
			t.Fatalf("byte %d of %d elements is %d; want 0", i, n, v)
		}
		raw[i] = 0xFF
	}
	return span{from, from + uintptr(len(raw))}
}

func TestAligned(t *testing.T) {
	t.Run("byte", aligned[byte])
	t.Run("uint64", aligned[uint64])
	t.Run("3 bytes", aligned[odd])
	t.Run("struct", aligned[mixed])
	t.Run("the largest alignment", func(t *testing.T) { taken(t, mem.Aligned[byte](1, 2<<20), 1, 2<<20) })
	t.Run("no pointers in none", aligned[struct {
		_ [0]*int
		f float64
	}])
}

var keep *byte

// aligned tries every length around one cache line, both sides of the sizes that the
// allocator rounds to, and more than one page. An element's own alignment holds where less
// is asked for.
func aligned[T any](t *testing.T) {
	for _, align := range []int{1, 2, 16, 256, 4096, 64 << 10} {
		for n := range 140 {
			n := n + []int{0, 0, 130, 900, 4000, 32_700}[n%6]
			taken(t, mem.Aligned[T](n, align), n, align)
		}
		for i := range 16 { // small ones begin anywhere in one of the allocator's blocks
			for range i {
				keep = new(byte)
			}
			taken(t, mem.Aligned[T](1, align), 1, align)
		}
	}
}

// What is asked for wrongly panics, and changes nothing.
func TestRefuses(t *testing.T) {
	type inner struct{ Name string }
	type outer struct {
		N  int
		In [2]inner
	}
	a := new(mem.Arena)
	mem.New[int](a)
	const huge = math.MaxInt/4 + 1
	for name, call := range map[string]func(){
		"pointer":             func() { mem.Aligned[*int](1, 64) },
		"deep in a struct":    func() { mem.Aligned[outer](1, 64) },
		"negative length":     func() { mem.Aligned[byte](-1, 64) },
		"too many bytes":      func() { mem.Aligned[byte](math.MaxInt, 64) },
		"size wraps around":   func() { mem.Aligned[uint64](math.MaxInt/4, 64) },
		"alignment 0":         func() { mem.Aligned[byte](1, 0) },
		"alignment 48":        func() { mem.Aligned[byte](1, 48) },
		"alignment too large": func() { mem.Aligned[byte](1, 4<<20) },

		"pointer from an arena":          func() { mem.New[*int](a) },
		"blocked pointers":               func() { mem.NewBlocked[*int](1, 1, 1) },
		"blocked, side 0":                func() { mem.NewBlocked[int](1, 1, 0) },
		"blocked, side 3":                func() { mem.NewBlocked[int](1, 1, 3) },
		"blocked, negative u":            func() { mem.NewBlocked[int](-1, 1, 4) },
		"blocked, rounding wraps around": func() { mem.NewBlocked[byte](math.MaxInt, 1, 4) },
		"blocked, product wraps around":  func() { mem.NewBlocked[byte](huge, 8, 4) },
		"blocked, too few from":          func() { mem.NewBlocked[int](3, 2, 2).CopyFrom(make([]int, 5)) },
		"blocked, too many to":           func() { mem.NewBlocked[int](3, 2, 2).CopyTo(make([]int, 7)) },
	} {
		require.Panics(t, call, name)
		require.Panics(t, call, "again: %s", name)
		require.Equal(t, mem.DefaultBlockSize, a.TotalAllocated(), "a refusal takes no memory: %s", name)
	}
}
