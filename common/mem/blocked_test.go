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
	*b.Ptr(2, 1) = 99
	fmt.Println(*b.Ptr(1, 1), *b.Ptr(2, 1))
	// Output: 0 99
}

// Every element is where the layout says. An index that is out of range may still be in
// a block at the edge, or in another row; it must not be taken.
func TestBlocked(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {3, 2, 1}, {3, 5, 2}, {8, 16, 8}, {9, 23, 8}, {33, 31, 32}, {0, 3, 4}} {
		nu, nv, side := size[0], size[1], size[2]
		b := mem.NewBlocked[int32](nu, nv, side)
		across := (nu + side - 1) / side // blocks
		for v := range nv {
			for u := range nu {
				at := (uintptr(unsafe.Pointer(b.Ptr(u, v))) - uintptr(unsafe.Pointer(b.Ptr(0, 0)))) / 4
				require.EqualValues(t, side*side*(across*(v/side)+u/side)+side*(v%side)+u%side, at, "%v: [%d, %d]", size, u, v)
			}
		}
		for _, at := range [][2]int{{nu, 0}, {0, nv}, {-1, 0}, {0, -1}, {nu, nv - 1}, {nu - 1, nv}, {math.MinInt, 0}, {0, math.MaxInt}} {
			want := fmt.Sprintf("mem: index is [%d, %d]; want less than [%d, %d]", at[0], at[1], nu, nv)
			require.PanicsWithError(t, want, func() { b.Ptr(at[0], at[1]) })
		}
	}
}

func TestBlockedRefuses(t *testing.T) {
	const huge = math.MaxInt/4 + 1
	for name, call := range map[string]func(){
		"pointers":              func() { mem.NewBlocked[*int](1, 1, 1) },
		"side 0":                func() { mem.NewBlocked[int](1, 1, 0) },
		"side 3":                func() { mem.NewBlocked[int](1, 1, 3) },
		"negative u":            func() { mem.NewBlocked[int](-1, 1, 4) },
		"negative v":            func() { mem.NewBlocked[int](1, -1, 4) },
		"rounding wraps around": func() { mem.NewBlocked[byte](math.MaxInt, 1, 4) },
		"product wraps around":  func() { mem.NewBlocked[byte](huge, 8, 4) },
		"bytes wrap around":     func() { mem.NewBlocked[[2]uint64](huge, 1, 1) },
	} {
		t.Run(name, func(t *testing.T) { assert.Panics(t, call) })
	}
}
