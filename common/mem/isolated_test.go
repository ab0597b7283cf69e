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
	t.Run("pointers", newIsolated[struct {
		m map[int]int
		s []string
	}])
	t.Run("nothing", newIsolated[struct{}])
	assert.Len(t, mem.Isolated[struct{}](3), 3)
}

// owners are what has a cache line; 0 is everything that need not be apart.
type owners map[uintptr]int

func (o owners) own(t *testing.T, owner int, p unsafe.Pointer, size uintptr) {
	for line := uintptr(p) / mem.Isolation; size > 0 && line <= (uintptr(p)+size-1)/mem.Isolation; line++ {
		if other, taken := o[line]; taken && other != owner {
			t.Fatalf("%d and %d share a cache line", other, owner)
		}
		o[line] = owner
	}
}

func isolated[T any](t *testing.T) {
	newIsolated[T](t)
	var zero T
	all, keep := owners{}, []any{}
	for i := range 500 {
		n := i % 40
		s := mem.Isolated[T](n)
		size := uintptr(n) * unsafe.Sizeof(zero)
		bytes := make([]byte, size+mem.Isolation-1) // of about the same size, and so from neighboring memory
		keep = append(keep, s, bytes)
		assert.Equal(t, []int{n, n}, []int{len(s), cap(s)})
		first := unsafe.Pointer(unsafe.SliceData(s))
		assert.True(t, n == 0 || uintptr(first)%mem.Isolation == 0)
		all.own(t, 0, unsafe.Pointer(&bytes[0]), uintptr(len(bytes)))
		all.own(t, 1+i, first, size)
	}
	runtime.KeepAlive(keep)
}

func newIsolated[T any](t *testing.T) {
	var zero T
	all, keep := owners{}, []any{}
	for i := range 500 {
		p, q := mem.NewIsolated[T](), new([2*mem.Isolation + 8]byte) // about as long as it is with its padding
		keep = append(keep, p, q)
		all.own(t, 1+i, unsafe.Pointer(p), unsafe.Sizeof(zero))
		all.own(t, 0, unsafe.Pointer(q), unsafe.Sizeof(*q))
	}
	runtime.KeepAlive(keep)
}
