package wavefront

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

// lonely returns so much memory, rounded up to pages, between two pages that may
// not be touched.
func lonely(t *testing.T, bytes int) []byte {
	t.Helper()
	page := os.Getpagesize()
	size := (bytes + page - 1) / page * page
	memory, err := unix.Mmap(-1, 0, page+size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(memory)) })
	require.NoError(t, unix.Mprotect(memory[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(memory[page+size:], unix.PROT_NONE))
	return memory[page : page+size : page+size]
}

// atStart returns the first n elements of memory.
func atStart[T any](memory []byte, n int) []T {
	var e T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/int(unsafe.Sizeof(e)))[:n:n]
}

// atEnd returns the last n elements of memory.
func atEnd[T any](memory []byte, n int) []T {
	var e T
	return atStart[T](memory[len(memory)-n*int(unsafe.Sizeof(e)):], n)
}

// faultOf runs f and returns the error if f touched memory that it may not.
func faultOf(f func()) (fault any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() }()
	f()
	return nil
}

func TestLonely(t *testing.T) {
	memory := lonely(t, 5000)
	var got byte
	read := func(i int) func() {
		return func() { got += *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(memory)), i)) }
	}
	assert.NotNil(t, faultOf(read(-1)), "before it")
	assert.Nil(t, faultOf(read(0)), "its first byte")
	assert.Nil(t, faultOf(read(len(memory)-1)), "its last byte")
	assert.NotNil(t, faultOf(read(len(memory))), "after it")
	assert.Zero(t, got)
}

// Nothing is read or written outside the columns of the spheres and the lists
// of candidates: each has memory of its own, and lies at its very end or start.
func TestHitPages(t *testing.T) {
	const spheresUpTo = 70
	var memory [5][]byte
	for i := range memory {
		memory[i] = lonely(t, 4*spheresUpTo)
	}
	lists := lonely(t, searchGroups*(spheresUpTo+8)*int(unsafe.Sizeof(candidate{})))
	forEachKernel(t, func(t *testing.T, k kernel) {
		for _, place := range []struct {
			name   string
			column func(memory []byte, n int) []float32
			list   func(memory []byte, n int) []candidate
		}{
			{"end", atEnd[float32], atEnd[candidate]},
			{"start", atStart[float32], atStart[candidate]},
		} {
			t.Run(place.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(14, 7))
				for n := range spheresUpTo + 1 {
					balls := randomBalls(rng, n)
					for _, all := range []bool{false, true} {
						s := spheresOf(balls, all)
						for i, column := range []*[]float32{&s.cx, &s.cy, &s.cz, &s.reach, &s.radiusSq} {
							to := place.column(memory[i], n)
							copy(to, *column)
							*column = to
						}
						f := newFront()
						for range searchGroups * group {
							f.put(randomRay(rng, balls))
						}
						// All are candidates, some, none.
						for _, reach := range []float32{inf, 1, -inf} {
							for i := range s.reach {
								s.reach[i] = reach
							}
							search := newSearch(s)
							to := place.list(lists, len(search.candidates))
							copy(to, search.candidates)
							search.candidates = to
							require.Nil(t, faultOf(func() { k.hit(search, f) }), "%d spheres", n)
							checkKernel(t, k, s, f)
						}
					}
				}
			})
		}
	})
}
