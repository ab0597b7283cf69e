//go:build !purego

package collect

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/cpu"
)

var hasAVX512 = cpu.X86.HasAVX512F

var collectors = []struct {
	name    string
	collect func(masks []uint16, to []uint32) int
}{{"bits", collectBits}, {"register", collectRegister}, {"memory", collectMemory}}

// randomMasks returns 64 masks of so many bits each.
func randomMasks(count int) []uint16 {
	rng := rand.New(rand.NewPCG(14, 1))
	masks := make([]uint16, 64)
	for i := range masks {
		for _, place := range rng.Perm(16)[:count] {
			masks[i] |= 1 << place
		}
	}
	return masks
}

func TestCollect(t *testing.T) {
	if !hasAVX512 {
		t.Skip("not tested: the processor has no AVX-512")
	}
	for _, c := range collectors {
		t.Run(c.name, func(t *testing.T) {
			for count := range 17 {
				masks := randomMasks(count)
				var want []uint32
				for _, mask := range masks {
					for ; mask != 0; mask &= mask - 1 {
						want = append(want, uint32(bits.TrailingZeros16(mask)))
					}
				}
				to := make([]uint32, 64*count+16)
				n := c.collect(masks, to)
				assert.Equal(t, want, append([]uint32(nil), to[:n]...))
			}
		})
	}
}

// BenchmarkCollect takes the bits out of 64 masks of sixteen; an operation is
// all of them.
//
//	go test -run '^$' -bench Collect ./beyond/avx512/collect
func BenchmarkCollect(b *testing.B) {
	if !hasAVX512 {
		b.Skip("not measured: the processor has no AVX-512")
	}
	for _, count := range []int{1, 4, 16} {
		for _, c := range collectors {
			b.Run(fmt.Sprintf("bits=%d/by=%s", count, c.name), func(b *testing.B) {
				masks, to := randomMasks(count), make([]uint32, 64*16+16)
				for b.Loop() {
					c.collect(masks, to)
				}
			})
		}
	}
}
