package step11

import (
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// lonelyPage returns a page of memory between two that may not be touched.
func lonelyPage(t *testing.T) []byte {
	t.Helper()
	size := os.Getpagesize()
	pages, err := unix.Mmap(-1, 0, 3*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(pages)) })
	require.NoError(t, unix.Mprotect(pages[:size], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(pages[2*size:], unix.PROT_NONE))
	return pages[size : 2*size : 2*size]
}

// atStart returns the first n elements of a page.
func atStart[T any](page []byte, n int) []T {
	var e T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(page))), len(page)/int(unsafe.Sizeof(e)))[:n:n]
}

// atEnd returns the last n elements of a page.
func atEnd[T any](page []byte, n int) []T {
	var e T
	return atStart[T](page[len(page)-n*int(unsafe.Sizeof(e)):], n)
}

// faultOf runs f and returns the error if f touched memory that it may not.
func faultOf(f func()) (fault any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() }()
	f()
	return nil
}

func TestLonelyPage(t *testing.T) {
	page := lonelyPage(t)
	var got byte
	read := func(i int) func() {
		return func() { got += *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(page)), i)) }
	}
	assert.NotNil(t, faultOf(read(-1)), "before the page")
	assert.Nil(t, faultOf(read(0)), "its first byte")
	assert.Nil(t, faultOf(read(len(page)-1)), "its last byte")
	assert.NotNil(t, faultOf(read(len(page))), "after the page")
	assert.Zero(t, got)
}

// Nothing is read or written outside the padded columns, the ray and what the
// pass writes: each has a page of its own, and lies at its very end or start.
func TestFirstPassPages(t *testing.T) {
	pages := make([][]byte, 8)
	for i := range pages {
		pages[i] = lonelyPage(t)
	}
	forEach(t, func(t *testing.T, impl implementation) {
		for _, place := range []struct {
			name   string
			column func(page []byte, n int) []float32
			words  func(page []byte, n int) []uint64
			ray    func(page []byte, n int) []Ray
		}{
			{"end", atEnd[float32], atEnd[uint64], atEnd[Ray]},
			{"start", atStart[float32], atStart[uint64], atStart[Ray]},
		} {
			t.Run(place.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(10, 7))
				for n := 0; n <= counts; n += lanes {
					spheres := randomSpheres(rng, n)
					whole := passOf(spheres)
					column := func(page int, from []float32) []float32 {
						to := place.column(pages[page], n)
						copy(to, from)
						return to
					}
					p := &firstPass{
						cx: column(0, whole.cx), cy: column(1, whole.cy), cz: column(2, whole.cz), radiusSq: column(3, whole.radiusSq),
						candidates: place.words(pages[4], (n+63)/64), nb: place.column(pages[5], n), discriminants: place.column(pages[6], n),
					}
					r := &place.ray(pages[7], 1)[0]
					// All are candidates, some, none.
					for _, radiusSq := range []float32{inf, 1, -inf} {
						for i := range p.radiusSq {
							p.radiusSq[i] = radiusSq
						}
						*r = *randomRay(rng, spheres)
						fault := faultOf(func() { impl.run(p, r) })
						require.Nil(t, fault, "%d spheres", n)
						checkTwin(t, impl, p, r, 0)
					}
				}
			})
		}
	})
}
