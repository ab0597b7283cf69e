package mem_test

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
)

func ExampleBlocked() {
	b := mem.NewBlocked[int](3, 2, 2) // two blocks of 2 times 2, the second half used
	b.CopyFrom([]int{
		0, 1, 2,
		10, 11, 12,
	})
	*b.Ptr(2, 1) = 99
	*b.Ptr(0, 0)++
	plain := make([]int, 6)
	b.CopyTo(plain)
	fmt.Println(b.At(1, 1), plain)
	// Output: 11 [1 1 2 10 11 99]
}

// Every size around one, two and three blocks, either way.
func forEachSize(f func(nu, nv, side int)) {
	for _, side := range []int{1, 2, 4, 8, 32} {
		sizes := []int{0, 1}
		for n := 1; n <= 3; n++ {
			sizes = append(sizes, n*side-1, n*side, n*side+1)
		}
		for _, nu := range sizes {
			for _, nv := range sizes {
				f(nu, nv, side)
			}
		}
	}
}

// Every element is where the layout says, and has the value of the plain slice.
func TestBlocked(t *testing.T) {
	forEachSize(func(nu, nv, side int) {
		b := mem.NewBlocked[int32](nu, nv, side)
		gotU, gotV := b.Size()
		require.Equal(t, []int{nu, nv}, []int{gotU, gotV})
		plain, back := make([]int32, nu*nv), make([]int32, nu*nv)
		b.CopyTo(back)
		require.Equal(t, plain, back, "new elements are 0")
		for i := range plain {
			plain[i] = int32(i + 1)
		}
		b.CopyFrom(plain)
		b.CopyTo(back)
		require.Equal(t, plain, back, "size %d, %d, side %d", nu, nv, side)
		if len(plain) == 0 {
			return
		}
		first := uintptr(unsafe.Pointer(b.Ptr(0, 0)))
		require.Zero(t, first%mem.CacheLine)
		across := (nu + side - 1) / side // blocks
		for v := range nv {
			for u := range nu {
				at := int(uintptr(unsafe.Pointer(b.Ptr(u, v)))-first) / 4
				if want := side*side*(across*(v/side)+u/side) + side*(v%side) + u%side; at != want {
					t.Fatalf("size %d, %d, side %d: [%d, %d] is at %d; want %d", nu, nv, side, u, v, at, want)
				}
				if x := b.At(u, v); x != plain[v*nu+u] {
					t.Fatalf("size %d, %d, side %d: [%d, %d] is %d; want %d", nu, nv, side, u, v, x, plain[v*nu+u])
				}
			}
		}
	})
}

// An index that is out of range may still be in a block at the edge, or in
// another row; it must not be taken.
func TestBlockedOutOfRange(t *testing.T) {
	forEachSize(func(nu, nv, side int) {
		b := mem.NewBlocked[int](nu, nv, side)
		for _, at := range [][2]int{{nu, 0}, {0, nv}, {-1, 0}, {0, -1}, {nu, nv}, {nu, nv - 1}, {nu - 1, nv}, {math.MinInt, 0}, {0, math.MaxInt}} {
			want := fmt.Sprintf("mem: index is [%d, %d]; want less than [%d, %d]", at[0], at[1], nu, nv)
			require.PanicsWithError(t, want, func() { b.At(at[0], at[1]) })
			require.PanicsWithError(t, want, func() { b.Ptr(at[0], at[1]) })
		}
	})
}

func TestBlockedRefuses(t *testing.T) {
	const huge = math.MaxInt/4 + 1
	for name, call := range map[string]func(){
		"pointers":              func() { mem.NewBlocked[*int](1, 1, 1) },
		"side 0":                func() { mem.NewBlocked[int](1, 1, 0) },
		"side 3":                func() { mem.NewBlocked[int](1, 1, 3) },
		"negative side":         func() { mem.NewBlocked[int](1, 1, math.MinInt) },
		"negative u":            func() { mem.NewBlocked[int](-1, 1, 4) },
		"negative v":            func() { mem.NewBlocked[int](1, -1, 4) },
		"rounding wraps around": func() { mem.NewBlocked[byte](math.MaxInt, 1, 4) },
		"product wraps around":  func() { mem.NewBlocked[byte](huge, 8, 4) },
		"bytes wrap around":     func() { mem.NewBlocked[[2]uint64](huge, 1, 1) },
		"a block wraps around":  func() { mem.NewBlocked[byte](1, 1, huge) },
		"plain slice too short": func() { mem.NewBlocked[int](3, 2, 4).CopyFrom(make([]int, 5)) },
		"plain slice too long":  func() { mem.NewBlocked[int](3, 2, 4).CopyTo(make([]int, 7)) },
	} {
		t.Run(name, func(t *testing.T) { assert.Panics(t, call) })
	}
}
