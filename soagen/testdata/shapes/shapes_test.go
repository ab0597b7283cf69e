package shapes

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type matte string

func (m matte) Name() string { return string(m) }

// Random values, no two of which are likely to be equal.

func f32(r *rand.Rand) float32 { return r.Float32() + 1 }
func vec(r *rand.Rand) Vec3    { return Vec3{f32(r), f32(r), f32(r)} }
func str(r *rand.Rand) string  { return strconv.Itoa(r.Int()) }

func sphere(r *rand.Rand) Sphere {
	return Sphere{Center: vec(r), RadiusSq: f32(r), InvRadius: f32(r), Material: matte(str(r))}
}

func TestSphere(t *testing.T) {
	Shape[Sphere, SphereSoA, SphereSoAView, *SphereSoA]{
		New: NewSphereSoA, Value: sphere, Align: 64, Pad: 8,
		Compare: func(a, b Sphere) int { return cmp.Compare(a.InvRadius, b.InvRadius) },
		Pads:    map[string]any{"RadiusSq": float32(math.Inf(-1))},
		Columns: func(t *testing.T, c *SphereSoA, want []Sphere) {
			for i, v := range want {
				require.Equal(t, v, Sphere{Vec3{c.CenterX()[i], c.CenterY()[i], c.CenterZ()[i]}, c.RadiusSq()[i], c.InvRadius()[i], c.Material()[i]})
				require.Equal(t, v.Center.Z, c.CenterZPadded()[i])
			}
		},
	}.Test(t)
}

// Pointers in columns must be all that it takes to keep things alive.
func TestColumnsKeepPointersAlive(t *testing.T) {
	s := new(SphereSoA)
	for i := range 5000 {
		s.Append(Sphere{Material: matte(strconv.Itoa(i))})
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	runtime.GC()
	for i, v := range s.All() {
		require.Equal(t, strconv.Itoa(i), v.Material.Name())
	}
}

func TestColumnsShareOneBlock(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 16, 17, 1000} {
		s := NewSphereSoA(n)
		for range n {
			s.Append(Sphere{})
		}
		at := func(p *float32) uintptr { return uintptr(unsafe.Pointer(p)) }
		size := uintptr((s.Cap()*4 + 63) / 64 * 64)
		first := at(&s.CenterX()[0])
		assert.Equal(t, first+1*size, at(&s.CenterY()[0]))
		assert.Equal(t, first+2*size, at(&s.CenterZ()[0]))
		assert.Equal(t, first+3*size, at(&s.RadiusSq()[0]))
		assert.Equal(t, first+4*size, at(&s.InvRadius()[0]))
	}
	// A block, a column of pointers, the container.
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { NewSphereSoA(100) }), 3.0)
}

// A capacity whose columns are together too large, though none of them is.
func TestCapacityTooLarge(t *testing.T) {
	const maxInt = int(^uint(0) >> 1)
	require.Panics(t, func() { NewSphereSoA(maxInt / 20) })
	require.PanicsWithValue(t, "SphereSoA: capacity out of range", func() { NewSphereSoA(0).Grow(maxInt/4 - 1) })
}

// Appending must not allocate where there is room, nor must reading.
func TestNoAllocations(t *testing.T) {
	s := NewSphereSoA(1000)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		s.Append(Sphere{InvRadius: 1})
		for i := range s.All() {
			s.Swap(0, i)
		}
		s.Set(0, s.At(0))
		if s.Len() > 50 {
			s.RemoveSwap(3)
			s.RemoveOrdered(4)
			s.Truncate(40)
		}
	}))
}
