package shapes

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type matte string

func (m matte) Name() string { return string(m) }

func TestContainers(t *testing.T) {
	numbers := map[string]any{
		"Bool": true, "Int": -1, "Int8": -128, "Int16": 0x7fff, "Int32": 'x', "Int64": math.MinInt64,
		"Uint": 1 << 31, "Uint8": 255, "Uint32": 1000, "Uint64": uint64(math.MaxUint64), "Uintptr": 64,
		"F32": float32(math.MaxFloat32), "F64": math.Inf(1), "Real": math.NaN(),
		"Flavor": Sweet,
	}
	negative := map[string]any{"RadiusSq": math.Inf(-1)}
	for name, run := range map[string]func(t *testing.T){
		"Sphere":   func(t *testing.T) { test(t, NewSphereSoA, layout{align: 64, pad: 8, pads: negative}) },
		"Pointers": func(t *testing.T) { test(t, NewPointersSoA, layout{}) },
		"Numbers":  func(t *testing.T) { test(t, NewNumbersSoA, layout{align: 16, pad: 4, pads: numbers}) },
		"record":   func(t *testing.T) { test(t, newRecordSoA, layout{align: 64}) },
		"Single":   func(t *testing.T) { test(t, NewSingleSoA, layout{align: 32, pad: 2}) },
		"Nothing":  func(t *testing.T) { test(t, NewNothingSoA, layout{align: 32, pad: 2}) },
		"Pair":     func(t *testing.T) { test(t, NewPairSoA, layout{align: 64, pad: 3}) },
		"Body": func(t *testing.T) {
			test(t, NewBodySoA, layout{align: 64, pad: 3, pads: map[string]any{"PlaceX": 9, "PlaceY": 8}})
		},
		"Node of pointers": func(t *testing.T) { test(t, NewNodeSoA[string, *int], node("Key")) },
		"Node of numbers":  func(t *testing.T) { test(t, NewNodeSoA[int8, [3]float32], node("Key")) },
		"Node of both":     func(t *testing.T) { test(t, NewNodeSoA[float64, any], node("Key")) },
		"Cloud": func(t *testing.T) {
			test(t, NewCloudSoA[real, string], layout{align: 32, pad: 4, pads: map[string]any{"PlaceX": 3, "PlaceY": 3},
				own: []string{"PosX", "PosY", "Force", "Mass"}})
		},
	} {
		t.Run(name, run)
	}
}

// node is the layout of an instance of Node.
func node(own ...string) layout {
	return layout{align: 32, pad: 4, pads: map[string]any{"Count": -1}, own: append(own, "Value", "Both")}
}

// Each field is in the column of its name.
func TestColumns(t *testing.T) {
	v := random[record](rand.New(rand.NewPCG(3, 4)))
	c := newRecordSoA(1)
	c.Append(v)
	assert.Equal(t, v, record{
		Vec3: Vec3{c.Vec3X()[0], c.Vec3Y()[0], c.Vec3Z()[0]}, base: c.base()[0], Single: c.Single()[0],
		Reader: c.Reader()[0], note: c.note()[0], vel: vec2{c.velX()[0], c.velY()[0]},
		Matrix: c.Matrix()[0], Names: c.Names()[0],
		Dir: [3]float64{c.Dir0()[0], c.Dir1()[0], c.Dir2()[0]}, Flags: c.Flags()[0],
		ID: c.Number()[0], Len: c.Length()[0],
		Pos: Vec3{c.PX()[0], c.PY()[0], c.PZ()[0]}, hidden: c.Shown()[0],
	})
	c.Set(0, record{ID: 1, Scratch: []byte("x"), Notes: "y"})
	assert.Equal(t, record{ID: 1}, c.At(0), "fields without a column come back as zero")
}

// Columns of numbers are padded, those of a type parameter are not, whatever the instance.
func TestPaddedColumns(t *testing.T) {
	var methods []string
	for m := range reflect.TypeFor[*NodeSoA[int, int]]().Methods() {
		if strings.HasSuffix(m.Name, "Padded") {
			methods = append(methods, m.Name)
		}
	}
	assert.Equal(t, []string{"CountPadded"}, methods)
}

// A clone of a container without elements has memory of its own, too.
func TestCloneOfNothing(t *testing.T) {
	s := NewSphereSoA(8)
	c := s.Clone()
	s.Append(Sphere{InvRadius: 1})
	c.Append(Sphere{InvRadius: 2})
	assert.Equal(t, []float32{1}, s.InvRadius())
	assert.Equal(t, []float32{2}, c.InvRadius())
}

// Pointers in columns must be all that it takes to keep things alive. The capacity grows by
// half each time.
func TestAppend(t *testing.T) {
	s, moves := new(SphereSoA), 0
	for i := range 5000 {
		if s.Len() == s.Cap() {
			moves++
		}
		s.Append(Sphere{Material: matte(strconv.Itoa(i))})
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	runtime.GC()
	for i, v := range s.All() {
		require.Equal(t, strconv.Itoa(i), v.Material.Name())
	}
	assert.Less(t, moves, 20)
}

func TestColumnsShareOneBlock(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 16, 17, 1000} {
		s := NewSphereSoA(n)
		s.AppendSlice(make([]Sphere, n))
		size := uintptr((s.Cap()*4 + 63) / 64 * 64)
		at := uintptr(unsafe.Pointer(&s.CenterX()[0]))
		for _, column := range [][]float32{
			s.CenterX(), s.CenterY(), s.CenterZ(), s.RadiusSq(), s.InvRadius(),
		} {
			assert.Equal(t, at, uintptr(unsafe.Pointer(&column[0])))
			at += size
		}
	}
	// A block, a column of pointers, the container.
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { NewSphereSoA(100) }), 3.0)
}

// A capacity whose columns are together too large, though none of them is.
func TestCapacityTooLarge(t *testing.T) {
	require.Panics(t, func() { NewSphereSoA(math.MaxInt / 20) })
	require.PanicsWithValue(t, "SphereSoA: capacity out of range", func() { NewSphereSoA(0).Grow(math.MaxInt/4 - 1) })
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

// A Ring has the methods and columns that -methods asked for, those that they
// call, and those of every container.
func TestMethods(t *testing.T) {
	var methods []string
	for m := range reflect.TypeFor[*Ring]().Methods() {
		methods = append(methods, m.Name)
	}
	assert.Equal(t, strings.Fields("AppendView Grow Key Len RemoveSwap Truncate Value View"), methods)

	s := NewRing(2)
	s.AppendView(RingView{
		Key: []string{"a", "b", "c"}, Value: make([]*int, 3), Next: make([]*Pair, 3), Count: []int32{1, 2, 3},
	})
	s.RemoveSwap(0)
	assert.Equal(t, []string{"c", "b"}, s.Key())
	assert.Len(t, s.Value(), 2)
}
