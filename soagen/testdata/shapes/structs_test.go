package shapes

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ptr(r *rand.Rand) *int { i := r.Int(); return &i }

func pointers(r *rand.Rand) Pointers {
	v := Pointers{
		Ptr: ptr(r), Text: str(r), List: []int{r.Int(), r.Int()}, Table: map[string]int{str(r): r.Int()},
		Queue: make(chan int), Any: str(r), Raw: unsafe.Pointer(ptr(r)),
	}
	v.Nested.N, v.Nested.Text = r.Int(), str(r)
	return v
}

func numbers(r *rand.Rand) Numbers {
	return Numbers{
		Bool: r.IntN(2) == 0, Int: r.Int(), Int8: int8(r.Int()), Int16: int16(r.Int()), Int32: r.Int32(), Int64: r.Int64(),
		Uint: r.Uint(), Uint8: uint8(r.Int()), Uint16: uint16(r.Int()), Uint32: r.Uint32(), Uint64: r.Uint64(), Uintptr: uintptr(r.Uint()),
		F32: f32(r), F64: r.Float64(), Real: real(r.Float64()), C64: complex(f32(r), f32(r)), C128: complex(r.Float64(), r.Float64()),
		Flavor: Flavor(r.Int()), Plain: f32(r),
	}
}

func newRecord(r *rand.Rand) record {
	return record{
		Vec3: vec(r), base: base{r.Int32()}, Single: &Single{RGB: [3]byte{byte(r.Uint32()), 1, 2}},
		Reader: strings.NewReader(str(r)), note: str(r), vel: vec2{int16(r.Int()), int16(r.Int())},
		Matrix: [2][3]float32{{f32(r)}, {0, f32(r)}}, Names: [2]string{str(r), str(r)},
		Dir: [3]float64{r.Float64(), 1, r.Float64()}, Flags: [5]bool{4: r.IntN(2) == 0},
		ID: r.Int(), Len: r.Int(), Pos: vec(r), hidden: str(r),
	}
}

func TestPointers(t *testing.T) {
	Shape[Pointers, PointersSoA, PointersSoAView, *PointersSoA]{
		New: NewPointersSoA, Value: pointers,
		Compare: func(a, b Pointers) int { return cmp.Compare(a.Text, b.Text) },
	}.Test(t)
}

func TestNumbers(t *testing.T) {
	Shape[Numbers, NumbersSoA, NumbersSoAView, *NumbersSoA]{
		New: NewNumbersSoA, Value: numbers, Align: 16, Pad: 4,
		Compare: func(a, b Numbers) int { return cmp.Compare(a.Int, b.Int) },
		Pads: map[string]any{
			"Bool": true, "Int": -1, "Int8": int8(-128), "Int16": int16(0x7fff), "Int32": int32('x'), "Int64": int64(math.MinInt64),
			"Uint": uint(1 << 31), "Uint8": uint8(255), "Uint32": uint32(1000), "Uint64": uint64(math.MaxUint64), "Uintptr": uintptr(64),
			"F32": float32(math.MaxFloat32), "F64": math.Inf(1), "Real": real(math.NaN()), "C64": complex64(1 - 2.5i), "C128": complex128(1e300),
			"Flavor": Sweet,
		},
	}.Test(t)
}

func TestRecord(t *testing.T) {
	Shape[record, recordSoA, recordSoAView, *recordSoA]{
		New: newRecordSoA, Value: newRecord, Align: 64,
		Compare: func(a, b record) int { return cmp.Compare(a.ID, b.ID) },
		Columns: func(t *testing.T, c *recordSoA, want []record) {
			bases, notes, velX, velY, shown := c.base(), c.note(), c.velX(), c.velY(), c.Shown()
			require.Len(t, bases, len(want))
			require.Equal(t, len(want), cap(velX), "append must not run into the next column")
			for i, v := range want {
				require.Equal(t, v, record{
					Vec3: Vec3{c.Vec3X()[i], c.Vec3Y()[i], c.Vec3Z()[i]}, base: bases[i], Single: c.Single()[i], Reader: c.Reader()[i],
					note: notes[i], vel: vec2{velX[i], velY[i]}, Matrix: c.Matrix()[i], Names: c.Names()[i],
					Dir: [3]float64{c.Dir0()[i], c.Dir1()[i], c.Dir2()[i]}, Flags: c.Flags()[i], ID: c.Number()[i], Len: c.Length()[i],
					Pos: Vec3{c.PX()[i], c.PY()[i], c.PZ()[i]}, hidden: shown[i],
				})
			}
		},
	}.Test(t)

	s := newRecordSoA(1)
	s.Append(record{ID: 1, Scratch: []byte("x"), Notes: "y"})
	assert.Equal(t, record{ID: 1}, s.At(0), "fields without a column come back as zero")
}

func TestSingle(t *testing.T) {
	Shape[Single, SingleSoA, SingleSoAView, *SingleSoA]{
		New: NewSingleSoA, Align: 32, Pad: 2,
		Value:   func(r *rand.Rand) Single { return Single{[3]byte{byte(r.Uint32()), byte(r.Uint32()), 7}} },
		Compare: func(a, b Single) int { return cmp.Compare(a.RGB[0], b.RGB[0]) },
	}.Test(t)
}

func TestNothing(t *testing.T) {
	Shape[Nothing, NothingSoA, NothingSoAView, *NothingSoA]{
		New: NewNothingSoA, Align: 32, Pad: 2,
		Value:   func(*rand.Rand) Nothing { return Nothing{} },
		Compare: func(a, b Nothing) int { return 0 },
	}.Test(t)
}

func TestGeneric(t *testing.T) {
	t.Run("pointers", func(t *testing.T) {
		type pair = Pair[string, *int]
		Shape[pair, PairSoA[string, *int], PairSoAView[string, *int], *PairSoA[string, *int]]{
			New: NewPairSoA[string, *int], Align: 64, Pad: 3,
			Value:   func(r *rand.Rand) pair { return pair{str(r), ptr(r), new(pair), r.Int32()} },
			Compare: func(a, b pair) int { return cmp.Compare(a.Key, b.Key) },
		}.Test(t)
	})
	t.Run("any type", func(t *testing.T) {
		type pair = Pair[int8, Vec3]
		Shape[pair, PairSoA[int8, Vec3], PairSoAView[int8, Vec3], *PairSoA[int8, Vec3]]{
			New: NewPairSoA[int8, Vec3], Align: 64, Pad: 3, Apart: []string{"Key", "Value"},
			Value:   func(r *rand.Rand) pair { return pair{Key: int8(r.Int()), Value: vec(r)} },
			Compare: func(a, b pair) int { return cmp.Compare(a.Key, b.Key) },
		}.Test(t)
	})
	t.Run("numbers", func(t *testing.T) {
		type body = Body[float32, any, Flavor, string]
		Shape[body, BodySoA[float32, any, Flavor, string], BodySoAView[float32, any, Flavor, string], *BodySoA[float32, any, Flavor, string]]{
			New: NewBodySoA[float32, any, Flavor, string], Align: 64, Pad: 3,
			Pads: map[string]any{"PlaceX": real(9), "PlaceY": real(8)},
			Value: func(r *rand.Rand) body {
				return body{
					Pos: Vec[float32]{f32(r), f32(r)}, Force: Vec[float32]{f32(r), f32(r)}, At: Vec[real]{real(r.Float64()), 1},
					Mass: f32(r), Flavor: [2]Flavor{Flavor(r.Int())}, Any: str(r),
				}
			},
			Compare: func(a, b body) int { return cmp.Compare(a.Mass, b.Mass) },
			Columns: func(t *testing.T, c *BodySoA[float32, any, Flavor, string], want []body) {
				require.Len(t, c.MassPadded(), c.PaddedLen(), "columns of numbers are padded, whatever the number")
			},
		}.Test(t)
	})
}

// A Ring has the methods and columns that -methods asked for, those that they
// call, and those of every container.
func TestMethods(t *testing.T) {
	var methods []string
	for m := range reflect.TypeFor[*Ring[int, int]]().Methods() {
		methods = append(methods, m.Name)
	}
	assert.Equal(t, strings.Fields("AppendView Grow Key Len RemoveSwap Truncate Value View"), methods)

	s := NewRing[int, string](2)
	s.AppendView(RingView[int, string]{Key: []int{1, 2, 3}, Value: []string{"a", "b", "c"}, Next: make([]*Pair[int, string], 3), Count: make([]int32, 3)})
	s.RemoveSwap(0)
	assert.Equal(t, []int{3, 2}, s.Key())
	assert.Equal(t, []string{"c", "b"}, s.Value())
}
