package mem_test

import (
	"cmp"
	"fmt"
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
	arena := mem.Arena{BlockSize: 64 << 10}
	for range 2 {
		first := mem.New[vertex](&arena)
		first.X = 1
		fan := mem.MakeSlice[vertex](&arena, 3)
		fmt.Println(*first, fan, arena.TotalAllocated())
		arena.Reset()
	}
	// Output:
	// {1 0 0 0} [{0 0 0 0} {0 0 0 0} {0 0 0 0}] 65536
	// {1 0 0 0} [{0 0 0 0} {0 0 0 0} {0 0 0 0}] 65536
}

// Allocations of all sorts are zero, aligned, and apart from each other, before and after
// a Reset; and the same allocations again need no new block.
func TestArena(t *testing.T) {
	a := new(mem.Arena)
	total := 0
	for round := range 3 {
		rng := rand.New(rand.NewPCG(1, 2))
		var spans []span
		for range 2000 {
			n := rng.IntN(300)
			if rng.IntN(200) == 0 {
				n = rng.IntN(mem.DefaultBlockSize / 8)
			}
			switch rng.IntN(4) {
			case 0:
				spans = append(spans, taken(t, unsafe.Slice(mem.New[odd](a), 1), 1, 16))
			case 1:
				spans = append(spans, taken(t, unsafe.Slice(mem.New[mixed](a), 1), 1, 16))
			case 2:
				spans = append(spans, taken(t, mem.MakeSlice[odd](a, n), n, 16))
			case 3:
				spans = append(spans, taken(t, mem.MakeSlice[float64](a, n), n, 16))
			}
		}
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
		for i := 1; i < len(spans); i++ {
			require.LessOrEqual(t, spans[i-1].to, spans[i].from)
		}
		if round > 0 {
			require.Equal(t, total, a.TotalAllocated(), "round %d", round)
		}
		total = a.TotalAllocated()
		a.Reset()
		require.Equal(t, total, a.TotalAllocated(), "Reset keeps the blocks")
	}
}

// A free block that is large enough is used before a new one, whatever came before it. A
// block has the size that was asked for, and is used to its end.
func TestArenaBlocks(t *testing.T) {
	const standard = mem.DefaultBlockSize
	for ask, size := range map[int]int{0: standard, -1: standard, 1000: 1008, 1 << 20: 1 << 20} {
		a := mem.Arena{BlockSize: ask}
		for range 6 {
			mem.MakeSlice[byte](&a, size/32*16)
		}
		assert.Equal(t, 3*size, a.TotalAllocated(), "asked for %d", ask)
		mem.MakeSlice[byte](&a, 9*size)
		a.Reset()
		mem.MakeSlice[byte](&a, 5*size)
		mem.MakeSlice[byte](&a, 6*size)
		assert.Equal(t, (3+9+6)*size, a.TotalAllocated())
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

var (
	arena mem.Arena
	pool  = sync.Pool{New: func() any { return new(record) }}
)

// BenchmarkAlloc makes records of 32 bytes one by one and writes to each; an operation
// makes 1000. They come from new, from an arena that is then reset, from a slice of 1000,
// from a sync.Pool that each goes back to, and from the stack, where the compiler puts
// them if they do not outlive the function.
func BenchmarkAlloc(b *testing.B) {
	for _, tt := range []struct {
		from string
		make func()
	}{
		{"new", func() {
			for i := range perOp {
				sink = new(record)
				fill(sink, i)
			}
		}},
		{"arena", func() {
			arena.Reset()
			for i := range perOp {
				sink = mem.New[record](&arena)
				fill(sink, i)
			}
		}},
		{"slice", func() {
			s := make([]record, perOp)
			for i := range s {
				sink = &s[i]
				fill(sink, i)
			}
		}},
		{"sync.Pool", func() {
			for i := range perOp {
				sink = pool.Get().(*record)
				*sink = record{}
				fill(sink, i)
				pool.Put(sink)
			}
		}},
		{"stack", func() {
			for i := range perOp {
				fill(new(record), i)
			}
		}},
	} {
		b.Run("from="+tt.from, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tt.make()
			}
		})
	}
}
