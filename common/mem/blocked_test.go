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
	b := mem.NewBlocked[int](3, 2, 2) // two blocks of 2 times 2, of the second a half is used
	b.CopyFrom([]int{
		1, 2, 3,
		4, 5, 6,
	})
	*b.Ptr(2, 1) = 99
	nu, nv := b.Size()
	rows := make([]int, nu*nv)
	b.CopyTo(rows)
	fmt.Println(rows, *b.Ptr(1, 1), nu, nv, b.Side())
	// Output: [1 2 3 4 5 99] 5 3 2 2
}

// Every element is where the layout says, and comes from and goes to where rows have it.
// An index that is out of range may still be in a block at the edge, or in another row; it
// must not be taken.
func TestBlocked(t *testing.T) {
	for _, size := range [][3]int{
		{1, 1, 1}, {3, 2, 1}, {3, 5, 2}, {8, 16, 8}, {9, 23, 8}, {33, 31, 32}, {0, 3, 4},
	} {
		nu, nv, side := size[0], size[1], size[2]
		b := mem.NewBlocked[int32](nu, nv, side)
		linear, back := make([]int32, nu*nv), make([]int32, nu*nv)
		for i := range linear {
			linear[i] = int32(i)
		}
		b.CopyFrom(linear)
		b.CopyTo(back)
		assert.Equal(t, linear, back)
		across := (nu + side - 1) / side // blocks
		for v := range nv {
			for u := range nu {
				require.EqualValues(t, v*nu+u, *b.Ptr(u, v), "%v: [%d, %d]", size, u, v)
				at := (uintptr(unsafe.Pointer(b.Ptr(u, v))) - uintptr(unsafe.Pointer(b.Ptr(0, 0)))) / 4
				block, within := across*(v/side)+u/side, side*(v%side)+u%side
				require.EqualValues(t, side*side*block+within, at, "%v: [%d, %d]", size, u, v)
			}
		}
		for _, at := range [][2]int{
			{nu, 0}, {0, nv}, {-1, 0}, {0, -1}, {nu, nv - 1}, {nu - 1, nv},
			{math.MinInt, 0}, {0, math.MaxInt},
		} {
			want := fmt.Sprintf("mem: index is [%d, %d]; want less than [%d, %d]", at[0], at[1], nu, nv)
			require.PanicsWithError(t, want, func() { b.Ptr(at[0], at[1]) })
		}
	}
}

func smallNumbers(n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = float32(i % 7)
	}
	return all
}

// BenchmarkBlocked adds up the elements of a square array of n times n numbers of four
// bytes, row by row and column by column. side=none is a plain slice, row after row. Rows
// of 2,048 are 8,192 bytes: the elements of a column then share a few sets of a cache.
func BenchmarkBlocked(b *testing.B) {
	for _, n := range []int{2000, 2048} {
		plain := smallNumbers(n * n)
		run := func(walk, side string, add func() float32) {
			b.Run(fmt.Sprintf("n=%d/walk=%s/side=%s", n, walk, side), func(b *testing.B) {
				for b.Loop() {
					total = add()
				}
			})
		}
		run("rows", "none", func() (sum float32) {
			for v := range n {
				for u := range n {
					sum += plain[v*n+u]
				}
			}
			return sum
		})
		run("columns", "none", func() (sum float32) {
			for u := range n {
				for v := range n {
					sum += plain[v*n+u]
				}
			}
			return sum
		})
		for _, side := range []int{4, 16, 64} {
			a := mem.NewBlocked[float32](n, n, side)
			a.CopyFrom(plain)
			run("rows", fmt.Sprint(side), func() (sum float32) {
				for v := range n {
					for u := range n {
						sum += *a.Ptr(u, v)
					}
				}
				return sum
			})
			run("columns", fmt.Sprint(side), func() (sum float32) {
				for u := range n {
					for v := range n {
						sum += *a.Ptr(u, v)
					}
				}
				return sum
			})
		}
	}
}

var total float32 // keeps a sum from being left out
