//go:build goexperiment.simd && go1.27 && amd64 && linux

// Command traps says which of three errors this release of Go has:
//
//	GOEXPERIMENT=simd go run ./beyond/archsimd/traps
package main

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"simd/archsimd"
	"strings"
	"syscall"
	"unsafe"
)

// andNot returns whether (x | y) &^ z is right, where the processor has AVX-512.
//
//go:noinline
func andNot(x, y, z int32) bool {
	or := archsimd.BroadcastInt32x16(x).Or(archsimd.BroadcastInt32x16(y))
	got := or.AndNot(archsimd.BroadcastInt32x16(z))
	return got.Equal(archsimd.BroadcastInt32x16((x|y)&^z)).ToBits() == 0xFFFF
}

// part returns whether a part of a vector can be loaded that ends where a page ends,
// with none after it, as at the end of a file that is mapped.
func part() (ok bool) {
	pages, err := syscall.Mmap(-1, 0, 8192, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil || syscall.Mprotect(pages[4096:], syscall.PROT_NONE) != nil {
		panic("no page without a neighbor")
	}
	debug.SetPanicOnFault(true)
	defer func() { ok = recover() == nil }()
	var all [4]uint64
	three := unsafe.Slice((*uint64)(unsafe.Pointer(&pages[4096-3*8])), 3)
	x, _ := archsimd.LoadUint64x4Part(three)
	x.Store(all[:])
	return all[0] == 0
}

//go:noinline
func minimum(x, y archsimd.Float32x8) archsimd.Float32x8 { return x.Min(y) }

//go:noinline
func minima(x, y archsimd.Float32x8) (xy, yx archsimd.Float32x8) { return x.Min(y), y.Min(x) }

// bothWays returns whether x.Min(y) and y.Min(x) are in one function what each is alone,
// where x is NaN.
func bothWays() bool {
	x, y := archsimd.BroadcastFloat32x8(float32(math.NaN())), archsimd.BroadcastFloat32x8(1)
	same := func(v, w archsimd.Float32x8) bool {
		return v.ToBits().Equal(w.ToBits()).ToBits() == 0xFF
	}
	xy, yx := minima(x, y)
	return same(xy, minimum(x, y)) && same(yx, minimum(y, x))
}

func main() {
	for _, trap := range []struct {
		name string
		ok   bool
	}{
		{"x.Or(y).AndNot(z) ", archsimd.X86.AVX512() && andNot(0x70F0F0F0, 0x4CCCCCCC, 0x2AAAAAAA)},
		{"LoadUint64x4Part  ", part()},
		{"x.Min(y), y.Min(x)", bothWays()},
	} {
		answer := fmt.Sprint("right: ", trap.ok)
		if strings.HasPrefix(trap.name, "x.Or") && !archsimd.X86.AVX512() {
			answer = "cannot be asked of this processor"
		}
		fmt.Printf("%s %s %s\n", runtime.Version(), trap.name, answer)
	}
}
