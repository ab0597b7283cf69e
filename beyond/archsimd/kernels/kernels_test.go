package kernels

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/kerneltest"
	"raysteps/common/steptest"
)

// input is what a way is tried with: the slices that the six loops are given. Of
// those that come in pairs, the second may be longer.
type input struct {
	x, y  []float32
	words [2][]uint64
	bytes []byte
	c     byte
}

// sumsOf is Sum and Dot as they are defined: number i goes to sum i%n.
func sumsOf(x, y []float32, n int) (sum, dot float32) {
	s, d := make([]float32, n), make([]float32, n)
	for i, v := range x {
		s[i%n] += v
		d[i%n] += float32(v * y[i])
	}
	return fold(s), fold(d)
}

// call is one of the six loops, with what it is given.
type call struct {
	name string
	run  func()
}

func calls(k *Kernels, in input, dst []float32) []call {
	return []call{
		{"Sum", func() { k.Sum(in.x) }},
		{"Dot", func() { k.Dot(in.x, in.y) }},
		{"CountByte", func() { k.CountByte(in.bytes, in.c) }},
		{"Above", func() { k.Above(dst, in.x, 0) }},
		{"MinIndex", func() { k.MinIndex(in.x) }},
		{"Hamming", func() { k.Hamming(in.words[0], in.words[1]) }},
	}
}

// bitsOf returns numbers as their bits, with one NaN for all.
func bitsOf(x ...float32) []uint32 {
	all := make([]uint32, len(x))
	for i, v := range x {
		all[i] = math.Float32bits(v)
		if v != v {
			all[i] = math.Float32bits(float32(math.NaN()))
		}
	}
	return all
}

// check compares a way with plain Go.
func check(t testing.TB, k *Kernels, in input, at string) {
	t.Helper()
	equal := func(loop string, want, got any) {
		t.Helper()
		if !assert.ObjectsAreEqual(want, got) {
			t.Fatalf("%s of %s, %d bits, %s: got %v, want %v", loop, k.Way, k.Bits, at, got, want)
		}
	}
	sum, dot := sumsOf(in.x, in.y, k.Sums)
	equal("Sum and Dot", bitsOf(sum, dot), bitsOf(k.Sum(in.x), k.Dot(in.x, in.y)))
	equal("MinIndex", minIndex(in.x), k.MinIndex(in.x))
	equal("CountByte", countByte(in.bytes, in.c), k.CountByte(in.bytes, in.c))
	equal("Hamming", hamming(in.words[0], in.words[1]), k.Hamming(in.words[0], in.words[1]))
	for _, limit := range []float32{0, float32(math.NaN()), float32(math.Inf(-1)), -1} {
		want := make([]float32, len(in.x))
		want = want[:above(want, in.x, limit)]
		dst := kerneltest.NewGuarded[float32](len(in.x), 4)
		equal("Above", bitsOf(want...), bitsOf(dst.Elements[:k.Above(dst.Elements, in.x, limit)]...))
		dst.Check(t, "dst")
		in.x = slices.Clone(in.x)
		equal("Above in place", bitsOf(want...), bitsOf(in.x[:k.Above(in.x, in.x, limit)]...))
	}
}

// random makes an input of n elements, of which a part are special values, at so many
// bytes after a multiple of 64.
func random(rng *rand.Rand, n, offset int) input {
	in := input{
		x:     kerneltest.NewGuarded[float32](n, offset).Elements,
		y:     kerneltest.NewGuarded[float32](n, 3*offset).Elements,
		bytes: make([]byte, offset+n)[offset:],
		c:     byte(rng.UintN(4)),
		words: [2][]uint64{kerneltest.NewGuarded[uint64](n, offset).Elements,
			kerneltest.NewGuarded[uint64](n, 3*offset).Elements},
	}
	special := rng.IntN(3) == 0
	for i := range n {
		in.x[i], in.y[i] = rng.Float32()-0.5, rng.Float32()-0.5
		if special && rng.IntN(8) == 0 {
			in.x[i], in.y[i] = kerneltest.Special(rng), kerneltest.Special(rng)
		}
		in.bytes[i] = byte(rng.UintN(4))
		in.words[0][i], in.words[1][i] = rng.Uint64(), rng.Uint64()
	}
	return in
}

// each runs a test for each way that this build and this processor have.
func each(t *testing.T, test func(t *testing.T, k *Kernels)) {
	for i := range all {
		k := &all[i]
		t.Run(fmt.Sprintf("%s%d", k.Way, k.Bits), func(t *testing.T) { test(t, k) })
	}
}

func TestLengthsAndAlignments(t *testing.T) {
	each(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(55, 1))
		for n := range 140 {
			for offset := 0; offset < 64; offset += 4 {
				check(t, k, random(rng, n, offset), fmt.Sprintf("%d elements at offset %d", n, offset))
			}
		}
		check(t, k, random(rng, 10_001, 4), "10,001 elements")
	})
}

func TestSpecialValues(t *testing.T) {
	inf, nan, minus0 := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	tests := []struct {
		name string
		x    []float32
		min  int
	}{
		{"nothing", nil, -1},
		{"NaN alone", []float32{nan, -nan}, -1},
		{"infinity", []float32{inf, inf}, -1},
		{"smallest of two infinities", []float32{inf, -inf, -inf}, 1},
		{"NaN around", []float32{nan, 2, nan, 1, nan}, 3},
		{"zeros of both signs", []float32{1, minus0, 0, minus0}, 1},
		{"denormals", []float32{1e-45, -1e-45, 0}, 1},
		{"ties", []float32{3, 2, 2, 3, 2}, 1},
		{"sums of both infinities", []float32{inf, -inf}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(t *testing.T, k *Kernels) {
				// In each place of a vector, among numbers that do not matter.
				for before := range 70 {
					x := append(slices.Repeat([]float32{inf}, before), tt.x...)
					want := tt.min
					if want >= 0 {
						want += before
					}
					for _, x := range [][]float32{x, append(x, slices.Repeat([]float32{nan}, 70)...)} {
						assert.Equal(t, want, k.MinIndex(x))
						check(t, k, input{x: x, y: x}, "special values")
					}
				}
			})
		})
	}
}

// Counters in lanes must not overflow.
func TestLargestCounts(t *testing.T) {
	each(t, func(t *testing.T, k *Kernels) {
		assert.Equal(t, 70_000, k.CountByte(bytes.Repeat([]byte{7}, 70_000), 7))
		ones, zeros := slices.Repeat([]uint64{math.MaxUint64}, 70_001), make([]uint64, 70_001)
		assert.Equal(t, 64*70_001, k.Hamming(ones, zeros))
	})
}

// Nothing is read or written outside a slice, not even what is masked: it ends where
// a page ends, and there is none after it, or begins where there is none before.
func TestPages(t *testing.T) {
	pages := kerneltest.NewPages(t, 1<<14)
	more := kerneltest.NewPages(t, 1<<14)
	each(t, func(t *testing.T, k *Kernels) {
		for n := range 70 {
			for _, atEnd := range []bool{false, true} {
				in := input{
					x: kerneltest.Slice[float32](pages, atEnd,
						n), y: kerneltest.Slice[float32](more, atEnd, n),
					bytes: kerneltest.Slice[byte](pages, atEnd, n),
					words: [2][]uint64{kerneltest.Slice[uint64](pages, atEnd, n),
						kerneltest.Slice[uint64](more, atEnd, n)},
				}
				for _, c := range calls(k, in, in.y) {
					assert.Nil(t, kerneltest.FaultOf(c.run), "%s of %d elements, at the end of a page: %v", c.name, n, atEnd)
				}
			}
		}
	})
}

// A loop that leaves the upper halves of registers in use makes the code after it slow.
func TestUppers(t *testing.T) {
	in := random(rand.New(rand.NewPCG(55, 2)), 77, 0)
	each(t, func(t *testing.T, k *Kernels) {
		for _, c := range calls(k, in, in.x) {
			assert.False(t, kerneltest.LeavesUppers(c.run), c.name)
		}
	})
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte(nil), byte(0))
	f.Add([]byte("\x00\x00\xC0\x7F\x00\x00\x80\xFF\x00\x00\x00\x80\x01\x00\x00\x00"), byte(0x80))
	f.Add(bytes.Repeat([]byte("quick brown"), 40), byte('o'))
	f.Fuzz(func(t *testing.T, data []byte, c byte) {
		in := input{bytes: data, c: c}
		for rest := data; len(rest) >= 8; rest = rest[8:] {
			w := binary.LittleEndian.Uint64(rest)
			in.x = append(in.x, math.Float32frombits(uint32(w)), float32(int8(w)))
			in.y = append(in.y, math.Float32frombits(uint32(w>>32)), float32(int8(w>>32)))
			in.words[0], in.words[1] = append(in.words[0], w), append(in.words[1], ^w>>3)
		}
		for i := range all {
			check(t, &all[i], in, "fuzzed")
		}
	})
}

// The exported functions, which take what is best here.
func TestExported(t *testing.T) {
	if k := best(); k.Way != "assembly" { // which is not for every processor with AVX-512
		steptest.Fastest(t, strings.TrimSuffix(fmt.Sprint(k.Way, k.Bits), "64"), "archsimd512", "archsimd256", "simd128")
	}
	x := []float32{3, -1, 4, -1, 5, -9, 2, 6}
	assert.Equal(t, float32(9), Sum(x))
	assert.Equal(t, float32(173), Dot(x, x))
	assert.Equal(t, 5, MinIndex(x))
	assert.Equal(t, 2, CountByte([]byte("assembly"), 's'))
	assert.Equal(t, 5, Hamming([]uint64{0xF0, 1}, []uint64{0x0F >> 4, 0}))
	assert.Equal(t, []float32{3, 4, 5, 2, 6}, x[:Above(x, x, 0)])
	assert.Panics(t, func() { Dot(x, x[1:]) })
	assert.Panics(t, func() { Hamming(make([]uint64, 2), nil) })
	assert.Panics(t, func() { Above(nil, x, 0) })
}
