package mem_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
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

// span is the memory of an allocation.
type span struct{ from, to uintptr }

func spanOf[T any](x []T) span {
	var zero T
	from := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	return span{from, from + uintptr(len(x))*unsafe.Sizeof(zero)}
}

// checked returns the memory of a new slice and fills every byte.
func checked[T any](t *testing.T, x []T, n int) span {
	t.Helper()
	var zero T
	if len(x) != n || cap(x) != n || x == nil {
		t.Fatalf("len %d, cap %d; want %d", len(x), cap(x), n)
	}
	s := spanOf(x)
	if n > 0 && s.from%unsafe.Alignof(zero) != 0 {
		t.Fatalf("%d elements start at %#x; want a multiple of %d", n, s.from, unsafe.Alignof(zero))
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
	a := new(mem.Arena)
	total := 0
	for round := range 3 {
		rng := rand.New(rand.NewPCG(1, 2))
		var spans []span
		for range 3000 {
			n := rng.IntN(300)
			if rng.IntN(200) == 0 {
				n = rng.IntN(mem.DefaultBlockSize / 8)
			}
			var s span
			switch rng.IntN(7) {
			case 0:
				s = checked(t, one(mem.New[byte](a)), 1)
			case 1:
				s = checked(t, one(mem.New[odd](a)), 1)
			case 2:
				s = checked(t, one(mem.New[mixed](a)), 1)
			case 3:
				s = checked(t, mem.MakeSlice[float64](a, n), n)
			case 4:
				s = checked(t, mem.MakeSlice[odd](a, n), n)
			case 5:
				s = checked(t, mem.MakeSlice[mixed](a, n), n)
			case 6:
				s = checked(t, one(mem.New[[5]float32](a)), 1)
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

// A free block that is large enough is used before a new one, whatever came
// before it.
func TestArenaFindsFreeBlocks(t *testing.T) {
	const block = mem.DefaultBlockSize
	a := new(mem.Arena)
	for _, n := range []int{block, 9 * block, block} {
		mem.MakeSlice[byte](a, n)
	}
	a.Reset()
	mem.MakeSlice[byte](a, 5*block)
	mem.MakeSlice[byte](a, 6*block)
	assert.Equal(t, (1+9+1+6)*block, a.TotalAllocated())

	a = new(mem.Arena)
	for range 6 {
		mem.MakeSlice[byte](a, block/2)
	}
	assert.Equal(t, 3*block, a.TotalAllocated(), "a block is used to its end")
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
	a := new(mem.Arena)
	mem.New[int](a)
	for name, call := range map[string]func(){
		"pointer":          func() { mem.New[*int](a) },
		"slice of strings": func() { mem.MakeSlice[string](a, 0) },
		"negative length":  func() { mem.MakeSlice[int16](a, -1) },
		"too many bytes":   func() { mem.MakeSlice[byte](a, math.MaxInt) },
	} {
		t.Run(name, func(t *testing.T) {
			require.Panics(t, call)
			require.Panics(t, call, "again")
			require.Equal(t, mem.DefaultBlockSize, a.TotalAllocated(), "a refusal takes no memory")
		})
	}
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
	var a mem.Arena
	pool := sync.Pool{New: func() any { return new(record) }}
	for _, tt := range []struct {
		from string
		make func()
	}{
		{"new", func() {
			for i := range perOp {
				r := new(record)
				fill(r, i)
				sink = r
			}
		}},
		{"arena", func() {
			a.Reset()
			for i := range perOp {
				r := mem.New[record](&a)
				fill(r, i)
				sink = r
			}
		}},
		{"slice", func() {
			s := make([]record, perOp)
			for i := range s {
				r := &s[i]
				fill(r, i)
				sink = r
			}
		}},
		{"sync.Pool", func() {
			for i := range perOp {
				r := pool.Get().(*record)
				*r = record{}
				fill(r, i)
				sink = r
				pool.Put(r)
			}
		}},
		{"stack", onStack},
	} {
		b.Run("from="+tt.from, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tt.make()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perOp, "ns/record")
		})
	}
}

func onStack() {
	for i := range perOp {
		r := new(record)
		fill(r, i)
	}
}

// TestStack holds the row "stack" to what it says: new does not allocate.
func TestStack(t *testing.T) { assert.Zero(t, testing.AllocsPerRun(10, onStack)) }
