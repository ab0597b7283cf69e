package mem_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
)

func ExampleArena() {
	type vertex struct {
		X, Y, Z float32
		Next    int // an index where a pointer would be
	}
	var arena mem.Arena
	for range 2 {
		first := mem.New[vertex](&arena)
		first.X = 1
		fan := mem.MakeSlice[vertex](&arena, 3)
		fmt.Println(*first, fan, arena.TotalAllocated())
		arena.Reset()
	}
	// Output:
	// {1 0 0 0} [{0 0 0 0} {0 0 0 0} {0 0 0 0}] 262144
	// {1 0 0 0} [{0 0 0 0} {0 0 0 0} {0 0 0 0}] 262144
}

func ExampleNew_pointers() {
	defer func() { fmt.Println(recover()) }()
	type node struct {
		Value int
		Next  *node
	}
	mem.New[node](new(mem.Arena))
	// Output:
	// mem.New: mem_test.node holds pointers (ptr in field Next), which the garbage collector would not see in an arena; use new
}

// span is the memory of an allocation.
type span struct{ from, to uintptr }

func spanOf[T any](x []T) span {
	var zero T
	from := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	return span{from, from + uintptr(len(x))*unsafe.Sizeof(zero)}
}

// allocate makes a slice, checks it, and fills every byte.
func allocate[T any](t *testing.T, x []T, n, align int) span {
	t.Helper()
	var zero T
	if len(x) != n || cap(x) != n || x == nil {
		t.Fatalf("len %d, cap %d; want %d", len(x), cap(x), n)
	}
	s := spanOf(x)
	if align = max(align, int(unsafe.Alignof(zero))); n > 0 && s.from%uintptr(align) != 0 {
		t.Fatalf("%d elements start at %#x; want a multiple of %d", n, s.from, align)
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), s.to-s.from)
	for i, v := range raw {
		if v != 0 {
			t.Fatalf("byte %d of %d elements is %d; want 0", i, n, v)
		}
		raw[i] = 0xFF
	}
	return s
}

// one is a pointer as a slice.
func one[T any](p *T) []T { return unsafe.Slice(p, 1) }

// Allocations of all sorts are zero, aligned, and apart from each other, before
// and after a Reset; and the same allocations again need no new block.
func TestArena(t *testing.T) {
	for _, size := range []int{1, 8, 60, 64, 200, 1000, 4096, mem.BlockSize} {
		t.Run(fmt.Sprintf("block=%d", size), func(t *testing.T) {
			a := mem.NewArena(size)
			total := 0
			for round := range 3 {
				rng := rand.New(rand.NewPCG(1, 2))
				var spans []span
				for range 2000 {
					n, align := rng.IntN(40), 1<<rng.IntN(8)
					if rng.IntN(200) == 0 {
						n = rng.IntN(3 * size)
					}
					var s span
					switch rng.IntN(8) {
					case 0:
						s = allocate(t, one(mem.New[byte](a)), 1, 1)
					case 1:
						s = allocate(t, one(mem.New[odd](a)), 1, 1)
					case 2:
						s = allocate(t, one(mem.New[mixed](a)), 1, 1)
					case 3:
						s = allocate(t, mem.MakeSlice[float64](a, n), n, 1)
					case 4:
						s = allocate(t, mem.MakeSlice[odd](a, n), n, 1)
					case 5:
						s = allocate(t, mem.MakeAligned[byte](a, n, align), n, align)
					case 6:
						s = allocate(t, mem.MakeAligned[mixed](a, n, align), n, align)
					case 7:
						s = allocate(t, one(mem.New[[5]float32](a)), 1, 1)
					}
					spans = append(spans, s)
				}
				requireApart(t, spans)
				if round > 0 {
					require.Equal(t, total, a.TotalAllocated(), "round %d", round)
				}
				total = a.TotalAllocated()
				a.Reset()
				require.Equal(t, total, a.TotalAllocated(), "Reset keeps the blocks")
			}
		})
	}
}

func requireApart(t *testing.T, spans []span) {
	t.Helper()
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			t.Fatalf("%#x and %#x overlap", spans[i-1], spans[i])
		}
	}
}

// Where a request ends in a block, to the byte.
func TestArenaBlockBoundary(t *testing.T) {
	const size = 256
	for first := 0; first <= size+9; first++ {
		for _, second := range []int{0, 1, 7, 8, 9, size - 1, size, size + 1} {
			a := mem.NewArena(size)
			x := spanOf(mem.MakeSlice[byte](a, first))
			y := spanOf(mem.MakeSlice[byte](a, second))
			var want int
			inBlock := 0 // bytes of the current block in use
			for _, n := range []int{first, second} {
				switch {
				case n == 0:
				case n > size:
					want += (n + 7) / 8 * 8
				case inBlock == 0 || inBlock+n > size:
					want += size
					inBlock = n
				default:
					inBlock += n
				}
			}
			require.Equal(t, want, a.TotalAllocated(), "%d bytes, then %d", first, second)
			if first > 0 && second > 0 && first+second <= size {
				require.Equal(t, x.to, y.from, "%d bytes, then %d", first, second)
			}
		}
	}
}

func TestArenaTotalAllocated(t *testing.T) {
	var a mem.Arena
	assert.Zero(t, a.TotalAllocated())
	mem.MakeSlice[float32](&a, 0)
	mem.New[struct{}](&a)
	assert.Zero(t, a.TotalAllocated(), "nothing asked for")
	mem.New[byte](&a)
	assert.Equal(t, mem.BlockSize, a.TotalAllocated())
	mem.MakeSlice[byte](&a, mem.BlockSize-1)
	assert.Equal(t, mem.BlockSize, a.TotalAllocated(), "one block, full")
	mem.New[byte](&a)
	assert.Equal(t, 2*mem.BlockSize, a.TotalAllocated())
	mem.MakeSlice[uint64](&a, mem.BlockSize)
	assert.Equal(t, 10*mem.BlockSize, a.TotalAllocated(), "a request of eight blocks")

	a = mem.Arena{}
	assert.Zero(t, a.TotalAllocated())
	assert.Equal(t, 8, func() int { a := mem.NewArena(1); mem.New[byte](a); return a.TotalAllocated() }())
}

// A request that exceeds a block leaves the current one in use.
func TestArenaLargeRequestKeepsBlock(t *testing.T) {
	a := mem.NewArena(1024)
	x := spanOf(one(mem.New[uint64](a)))
	mem.MakeSlice[byte](a, 1025)
	y := spanOf(one(mem.New[uint64](a)))
	assert.Equal(t, x.to, y.from)
}

// Large blocks are found again in whatever order they are asked for.
func TestArenaReusesLargeBlocks(t *testing.T) {
	a := mem.NewArena(64)
	sizes := []int{100, 1000, 300, 200, 300, 5000}
	for _, n := range sizes {
		mem.MakeSlice[byte](a, n)
	}
	total := a.TotalAllocated()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		a.Reset()
		rng.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
		var spans []span
		for _, n := range sizes {
			spans = append(spans, spanOf(mem.MakeSlice[byte](a, n)))
		}
		requireApart(t, spans)
		require.Equal(t, total, a.TotalAllocated(), "%v", sizes)
	}
	mem.MakeSlice[byte](a, 100)
	assert.Equal(t, total+104, a.TotalAllocated(), "all are in use")
}

func TestArenaResetStartsOver(t *testing.T) {
	var a mem.Arena
	p := mem.New[int](&a)
	for range 3 {
		*p = 7
		a.Reset()
		q := mem.New[int](&a)
		require.Same(t, p, q)
		require.Zero(t, *q)
	}
	a.Reset()
	a.Reset()
	require.Same(t, p, mem.New[int](&a))
}

func TestArenaAppendDoesNotRunOn(t *testing.T) {
	var a mem.Arena
	x := mem.MakeSlice[int32](&a, 4)
	next := mem.New[int32](&a)
	_ = append(x, 9)
	assert.Zero(t, *next)
}

func TestArenaZeroSize(t *testing.T) {
	var a mem.Arena
	assert.NotNil(t, mem.New[struct{}](&a))
	assert.NotNil(t, mem.New[[0]*int](&a))
	assert.Len(t, mem.MakeSlice[struct{}](&a, math.MaxInt), math.MaxInt)
	x := mem.MakeSlice[float64](&a, 0)
	assert.NotNil(t, x)
	assert.Empty(t, x)
	assert.Empty(t, mem.MakeAligned[float64](&a, 0, 64))
}

// Pointers into an arena keep its blocks, although the arena itself is gone.
func TestArenaSurvivesCollection(t *testing.T) {
	var all []*[4]uint64
	for i := range 300 {
		a := mem.NewArena(100)
		for range 3 {
			p := mem.New[[4]uint64](a)
			p[3] = uint64(i)
			all = append(all, p)
		}
		if i%100 == 0 {
			runtime.GC()
		}
	}
	runtime.GC()
	for i, p := range all {
		require.Equal(t, uint64(i/3), p[3])
	}
}

func TestArenaAllocatesNothingOnceWarm(t *testing.T) {
	var a mem.Arena
	work := func() {
		a.Reset()
		for range 20_000 {
			mem.New[odd](&a)
			mem.New[mixed](&a).F = 1
		}
		mem.MakeSlice[mixed](&a, 10_000)
	}
	work()
	assert.Zero(t, testing.AllocsPerRun(10, work))
}

func TestArenaRefuses(t *testing.T) {
	type link struct{ Next [2]*int }
	const unseen = ", which the garbage collector would not see in an arena; use "
	a := new(mem.Arena)
	mem.New[int](a)
	tests := []struct {
		name string
		call func()
		want string
	}{
		{"pointer", func() { mem.New[*int](a) }, "mem.New: *int holds pointers (ptr)" + unseen + "new"},
		{"again", func() { mem.New[*int](a) }, "mem.New: *int holds pointers (ptr)" + unseen + "new"},
		{"string", func() { mem.New[string](a) }, "mem.New: string holds pointers (string)" + unseen + "new"},
		{"interface", func() { mem.New[error](a) }, "mem.New: error holds pointers (interface)" + unseen + "new"},
		{"any", func() { mem.New[any](a) }, "mem.New: interface {} holds pointers (interface)" + unseen + "new"},
		{"in a struct", func() { mem.New[link](a) }, "mem.New: mem_test.link holds pointers (ptr in field Next)" + unseen + "new"},
		{"slice", func() { mem.MakeSlice[link](a, 1) }, "mem.MakeSlice: mem_test.link holds pointers (ptr in field Next)" + unseen + "make"},
		{"even if there are none", func() { mem.MakeSlice[string](a, 0) }, "mem.MakeSlice: string holds pointers (string)" + unseen + "make"},
		{"aligned slice", func() { mem.MakeAligned[[]int](a, 1, 64) }, "mem.MakeAligned: []int holds pointers (slice)" + unseen + "make"},
		{"negative length", func() { mem.MakeSlice[int16](a, -1) }, "mem.MakeSlice: length out of range [-1] of 2-byte elements"},
		{"negative length of nothing", func() { mem.MakeSlice[struct{}](a, -1) }, "mem.MakeSlice: length out of range [-1] of 0-byte elements"},
		{"too many bytes", func() { mem.MakeSlice[byte](a, math.MaxInt) },
			fmt.Sprintf("mem.MakeSlice: length out of range [%d] of 1-byte elements", math.MaxInt)},
		{"size wraps around", func() { mem.MakeSlice[uint64](a, math.MaxInt/4) },
			fmt.Sprintf("mem.MakeSlice: length out of range [%d] of 8-byte elements", math.MaxInt/4)},
		{"alignment 0", func() { mem.MakeAligned[byte](a, 1, 0) }, "mem.MakeAligned: alignment is 0; want a power of two from 1 to 65536"},
		{"alignment 48", func() { mem.MakeAligned[byte](a, 1, 48) }, "mem.MakeAligned: alignment is 48; want a power of two from 1 to 65536"},
		{"alignment too large", func() { mem.MakeAligned[byte](a, 1, 2*mem.MaxAlign) }, "mem.MakeAligned: alignment is 131072; want a power of two from 1 to 65536"},
		{"block of nothing", func() { mem.NewArena(0) }, "mem.NewArena: size of a block is 0; want at least 1"},
		{"negative block", func() { mem.NewArena(-8) }, "mem.NewArena: size of a block is -8; want at least 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.PanicsWithValue(t, test.want, test.call)
			require.Equal(t, mem.BlockSize, a.TotalAllocated(), "a refusal takes no memory")
			require.NotPanics(t, func() { mem.New[int](a) })
		})
	}
	t.Run("more than there is", func(t *testing.T) {
		assert.Panics(t, func() { mem.MakeSlice[byte](a, math.MaxInt-1) })
		assert.Equal(t, mem.BlockSize, a.TotalAllocated())
	})
}

// record is a small value without pointers: a hit.
type record struct {
	T      float32
	P, N   [3]float32
	Sphere int32
}

// sink makes what it is given escape to the heap.
var sink *record

//go:noinline
func fill(r *record, i int) { r.T, r.Sphere = float32(i), int32(i) }

// perOp is the number of records that an operation of BenchmarkAlloc makes and
// then drops: one call of Reset, or one slice, for so many.
const perOp = 1000

// BenchmarkAlloc makes records of 32 bytes one by one and writes to each; an
// operation makes 1000. They come from new, from an arena that is then reset,
// from a slice of 1000, from a sync.Pool that each goes back to, and from the
// stack, where the compiler puts them if they do not outlive the function.
func BenchmarkAlloc(b *testing.B) {
	perRecord := func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perOp, "ns/record")
	}
	b.Run("from=new", func(b *testing.B) {
		for b.Loop() {
			for i := range perOp {
				r := new(record)
				fill(r, i)
				sink = r
			}
		}
		perRecord(b)
	})
	b.Run("from=arena", func(b *testing.B) {
		var a mem.Arena
		for b.Loop() {
			a.Reset()
			for i := range perOp {
				r := mem.New[record](&a)
				fill(r, i)
				sink = r
			}
		}
		perRecord(b)
	})
	b.Run("from=slice", func(b *testing.B) {
		for b.Loop() {
			s := make([]record, perOp)
			for i := range s {
				r := &s[i]
				fill(r, i)
				sink = r
			}
		}
		perRecord(b)
	})
	b.Run("from=sync.Pool", func(b *testing.B) {
		pool := sync.Pool{New: func() any { return new(record) }}
		for b.Loop() {
			for i := range perOp {
				r := pool.Get().(*record)
				*r = record{}
				fill(r, i)
				sink = r
				pool.Put(r)
			}
		}
		perRecord(b)
	})
	b.Run("from=stack", func(b *testing.B) {
		for b.Loop() {
			for i := range perOp {
				r := new(record)
				fill(r, i)
			}
		}
		perRecord(b)
	})
}

// TestStack holds the row "stack" to what it says: new does not allocate.
func TestStack(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		for i := range perOp {
			r := new(record)
			fill(r, i)
		}
	}))
}
