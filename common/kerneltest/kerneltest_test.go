package kerneltest

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Touching memory next to pages is noticed.
func TestLonelyPage(t *testing.T) {
	for _, bytes := range []int{1, 5000} {
		pages := NewPages(t, bytes)
		var got byte
		read := func(i int) func() {
			return func() { got += *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(pages)), i)) }
		}
		require.GreaterOrEqual(t, len(pages), bytes)
		assert.NotNil(t, FaultOf(read(-1)), "before the pages")
		assert.Nil(t, FaultOf(read(0)), "the first byte")
		assert.Nil(t, FaultOf(read(len(pages)-1)), "the last byte")
		assert.NotNil(t, FaultOf(read(len(pages))), "after the pages")
		assert.Zero(t, got)
	}
}

// A write next to the elements is noticed, and none to them.
func TestGuarded(t *testing.T) {
	for _, offset := range []int{0, 4, 60} {
		g := NewGuarded[float32](3, offset)
		start := len(g.all) - 3 - guardWords
		for i := range g.all {
			r := &recorder{TB: t}
			before := g.all[i]
			g.all[i] = 0
			g.Check(r, "the numbers")
			g.all[i] = before
			assert.Equal(t, i < start || i >= start+3, r.failed, "offset %d, element %d", offset, i-start)
		}
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Fatalf(string, ...any) { r.failed = true }

func TestExactFMA(t *testing.T) {
	for _, tt := range []struct{ x, y, z, want float32 }{
		{0, 3, minusZero, 0},
		{minusZero, 3, minusZero, minusZero},
		{1e20, -1e20, 3, -inf},
		// The product is 1 + 2^-11 + 2^-24, right between two float32, which only
		// the smallest z can tell from the halfway case.
		{1 + 1./4096, 1 + 1./4096, denormal, 1 + 1./2048 + 1./(1<<23)},
		{1 + 1./4096, 1 + 1./4096, 0, 1 + 1./2048},
		{1 + 1./4096, 1 + 1./4096, -denormal, 1 + 1./2048},
	} {
		got := exactFMA(tt.x, tt.y, tt.z)
		assert.Equal(t, math.Float32bits(tt.want), math.Float32bits(got), "%g * %g + %g is %g", tt.x, tt.y, tt.z, got)
	}
	assert.True(t, math.IsNaN(float64(exactFMA(inf, 0, 1))))
}
