package mem_test

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"raysteps/common/mem"
)

// Each worker counts in cache lines of its own.
func ExampleIsolated() {
	var counts [2][]int64
	for worker := range counts {
		counts[worker] = mem.Isolated[int64](3)
		counts[worker][2]++
	}
	fmt.Println(counts)
	// Output: [[0 0 1] [0 0 1]]
}

// What Isolated and NewIsolated make shares no cache line with what else is allocated,
// whatever the type.
func TestIsolated(t *testing.T) {
	t.Run("byte", isolated[byte])
	t.Run("odd", isolated[odd])
	t.Run("mixed", isolated[mixed])
	t.Run("more than a line", isolated[[136]byte])
	t.Run("300 bytes", isolated[[300]byte])
	t.Run("nothing", isolated[struct{}])
}

func isolated[T any](t *testing.T) {
	var keep []any
	owners := map[uintptr]int{} // of lines; 0 is everything that need not be apart
	own := func(owner int, p unsafe.Pointer, size uintptr) {
		end := (uintptr(p) + size + mem.Isolation - 1) / mem.Isolation
		for line := uintptr(p) / mem.Isolation; size > 0 && line < end; line++ {
			if other, taken := owners[line]; taken && other != owner {
				t.Fatalf("%d and %d share a cache line", other, owner)
			}
			owners[line] = owner
		}
	}
	for i := range 500 {
		n := i % 40
		s, p := mem.Isolated[T](n), mem.NewIsolated[T]()
		assert.Equal(t, []int{n, n}, []int{len(s), cap(s)})
		first, one := unsafe.Pointer(unsafe.SliceData(s)), unsafe.Sizeof(*p)
		own(1+2*i, first, uintptr(n)*one)
		own(2+2*i, unsafe.Pointer(p), one)
		assert.True(t, n == 0 || one == 0 || uintptr(first)%mem.Isolation == 0)
		// Others that are about as long with padding, and so from neighboring memory.
		for _, size := range []uintptr{uintptr(n)*one + mem.Isolation - 1, one + 2*mem.Isolation} {
			other := make([]byte, size)
			own(0, unsafe.Pointer(&other[0]), size)
			keep = append(keep, other)
		}
		keep = append(keep, s, p)
	}
	runtime.KeepAlive(keep)
}
