package mem_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"raysteps/common/mem"
)

func TestIsolated(t *testing.T) {
	t.Run("byte", isolated[byte])
	t.Run("odd", isolated[odd])
	t.Run("float32", isolated[float32])
	t.Run("mixed", isolated[mixed])
	t.Run("more than a line", isolated[[100]byte])
	t.Run("nothing", func(t *testing.T) { assert.Len(t, mem.Isolated[struct{}](3), 3) })
	t.Run("pointers", func(t *testing.T) { assert.Panics(t, func() { mem.Isolated[*int](1) }) })
	t.Run("negative", func(t *testing.T) { assert.Panics(t, func() { mem.Isolated[int](-1) }) })
}

// Nothing that is made by NewIsolated shares a cache line with what else is
// allocated, whatever the type.
func TestNewIsolated(t *testing.T) {
	t.Run("byte", newIsolated[byte])
	t.Run("odd", newIsolated[odd])
	t.Run("mixed", newIsolated[mixed])
	t.Run("more than a line", newIsolated[[300]byte])
	t.Run("pointer", newIsolated[*int])
	t.Run("pointers", newIsolated[struct {
		m map[int]int
		s []string
	}])
	t.Run("nothing", newIsolated[struct{}])
}

func newIsolated[T any](t *testing.T) {
	var zero T
	owner := map[uintptr]any{}
	var keep []any
	for range 500 {
		p := mem.NewIsolated[T]()
		for i := range unsafe.Sizeof(zero) {
			line := (uintptr(unsafe.Pointer(p)) + i) / mem.Isolation
			if object, taken := owner[line]; taken && object != any(p) {
				t.Fatalf("%p is in a cache line of %p", p, object)
			}
			owner[line] = p
		}
		keep = append(keep, p)
	}
	for range 500 { // objects that are about as long as those with their padding
		q := new([2*mem.Isolation + 8]byte)
		for i := range q {
			if object := owner[uintptr(unsafe.Pointer(&q[i]))/mem.Isolation]; object != nil {
				t.Fatalf("%p is in a cache line of %p", &q[i], object)
			}
		}
		keep = append(keep, q)
	}
	runtime.KeepAlive(keep)
}

// isolated makes many short slices one after the other, and between them bytes of
// about the same size, so that neighbors come from neighboring memory; and looks
// for a line that two of them share.
func isolated[T any](t *testing.T) {
	var zero T
	owner := map[uintptr]int{}
	var keep []any
	own := func(i int, first, size uintptr) {
		for line := first / mem.Isolation; line <= (first+size-1)/mem.Isolation; line++ {
			other, taken := owner[line]
			if taken && (i >= 0 || other >= 0) && other != i {
				t.Fatalf("slices %d and %d share a cache line", other, i)
			}
			owner[line] = i
		}
	}
	for i := range 500 {
		n := i % 40
		s := mem.Isolated[T](n)
		size := uintptr(n) * unsafe.Sizeof(zero)
		bytes := make([]byte, size+mem.Isolation-1)
		keep = append(keep, s, bytes)
		assert.Len(t, s, n)
		assert.Equal(t, n, cap(s))
		own(-1, uintptr(unsafe.Pointer(&bytes[0])), uintptr(len(bytes)))
		if n > 0 {
			first := uintptr(unsafe.Pointer(&s[0]))
			assert.Zero(t, first%mem.Isolation)
			own(i, first, size)
		}
	}
	runtime.KeepAlive(keep)
}
