package shapes

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	htmltemplate "html/template"
	"image"
	"math"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"text/template"
	"time"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/soagen/internal/model"
)

type matte string

func (m matte) Name() string { return string(m) }

// Random values, no two of which are likely to be equal.

func f32(r *rand.Rand) float32 { return r.Float32() + 1 }
func vec(r *rand.Rand) Vec3    { return Vec3{f32(r), f32(r), f32(r)} }
func str(r *rand.Rand) string {
	return strings.Repeat("x", 1+r.IntN(9)) + time.Duration(r.Uint32()).String()
}
func ptr(r *rand.Rand) *int { i := r.Int(); return &i }

func sphere(r *rand.Rand) Sphere {
	return Sphere{Center: vec(r), RadiusSq: f32(r), InvRadius: f32(r), Material: matte(str(r))}
}

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

func foreign(r *rand.Rand) Foreign {
	v := Foreign{
		Took: time.Duration(r.Int64()), When: time.Unix(r.Int64N(1e9), 0), Point: image.Pt(r.Int(), r.Int()),
		Rect: image.Rect(r.IntN(9), 10, 20, 30), Seed: *rand.NewPCG(r.Uint64(), 1),
		Addr: netip.AddrFrom4([4]byte{byte(r.Uint32()), 1, 2, 3}),
		Raw:  json.RawMessage(str(r)), Text: template.New(str(r)), HTML: htmltemplate.New(str(r)),
		Next: &Foreign{List: make([]Foreign, r.IntN(3))}, List: make([]Foreign, r.IntN(3)),
	}
	v.Key.Hi, v.Key.Lo, v.Key.Kind = r.Uint32(), r.Uint32(), Flavor(r.Int())
	return v
}

func TestSphere(t *testing.T)   { sphereShape.Test(t) }
func TestPointers(t *testing.T) { pointersShape.Test(t) }

var sphereShape = model.Shape[Sphere, SphereSoA, SphereSoAView, *SphereSoA]{
	New: NewSphereSoA, Value: sphere, Align: 64, Pad: 8,
	Compare: func(a, b Sphere) int { return cmp.Compare(a.InvRadius, b.InvRadius) },
	Pads:    map[string]any{"RadiusSq": float32(math.Inf(-1))},
	Columns: func(t *testing.T, c *SphereSoA, want []Sphere) {
		for i, v := range want {
			require.Equal(t, v, Sphere{Vec3{c.CenterX()[i], c.CenterY()[i], c.CenterZ()[i]}, c.RadiusSq()[i], c.InvRadius()[i], c.Material()[i]})
			require.Equal(t, v.Center.Z, c.CenterZPadded()[i])
		}
	},
}

var pointersShape = model.Shape[Pointers, PointersSoA, PointersSoAView, *PointersSoA]{
	New: NewPointersSoA, Value: pointers,
	Compare: func(a, b Pointers) int { return cmp.Compare(a.Text, b.Text) },
}

func TestNumbers(t *testing.T) {
	model.Shape[Numbers, NumbersSoA, NumbersSoAView, *NumbersSoA]{
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
	model.Shape[record, recordSoA, recordSoAView, *recordSoA]{
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

func TestForeign(t *testing.T) {
	model.Shape[Foreign, ForeignSoA, ForeignSoAView, *ForeignSoA]{
		New: NewForeignSoA, Value: foreign, Align: 64, Apart: []string{"Seed"},
		Compare: func(a, b Foreign) int { return cmp.Compare(a.Took, b.Took) },
	}.Test(t)
}

func TestSingle(t *testing.T) {
	model.Shape[Single, SingleSoA, SingleSoAView, *SingleSoA]{
		New: NewSingleSoA, Align: 32, Pad: 2,
		Value:   func(r *rand.Rand) Single { return Single{[3]byte{byte(r.Uint32()), byte(r.Uint32()), 7}} },
		Compare: func(a, b Single) int { return cmp.Compare(a.RGB[0], b.RGB[0]) },
	}.Test(t)
}

func TestNothing(t *testing.T) {
	model.Shape[Nothing, NothingSoA, NothingSoAView, *NothingSoA]{
		New: NewNothingSoA, Align: 32, Pad: 2,
		Value:   func(*rand.Rand) Nothing { return Nothing{} },
		Compare: func(a, b Nothing) int { return 0 },
	}.Test(t)
}

func TestRect(t *testing.T) {
	model.Shape[Rect, RectSoA, RectSoAView, *RectSoA]{
		New: NewRectSoA, Align: 32, Pad: 2,
		Value:   func(r *rand.Rand) Rect { return Rect{image.Pt(r.Int(), r.Int()), image.Pt(r.Int(), r.Int())} },
		Compare: func(a, b Rect) int { return cmp.Compare(a.Min.X, b.Min.X) },
	}.Test(t)
}

func TestGeneric(t *testing.T) {
	t.Run("pointers", func(t *testing.T) {
		type pair = Pair[string, *int]
		model.Shape[pair, PairSoA[string, *int], PairSoAView[string, *int], *PairSoA[string, *int]]{
			New: NewPairSoA[string, *int], Align: 64, Pad: 3,
			Value:   func(r *rand.Rand) pair { return pair{str(r), ptr(r), new(pair), r.Int32()} },
			Compare: func(a, b pair) int { return cmp.Compare(a.Key, b.Key) },
		}.Test(t)
	})
	t.Run("any type", func(t *testing.T) {
		type pair = Pair[int8, Vec3]
		model.Shape[pair, PairSoA[int8, Vec3], PairSoAView[int8, Vec3], *PairSoA[int8, Vec3]]{
			New: NewPairSoA[int8, Vec3], Align: 64, Pad: 3, Apart: []string{"Key", "Value"},
			Value:   func(r *rand.Rand) pair { return pair{Key: int8(r.Int()), Value: vec(r)} },
			Compare: func(a, b pair) int { return cmp.Compare(a.Key, b.Key) },
		}.Test(t)
	})
	t.Run("numbers", func(t *testing.T) {
		type body = Body[float32, any, Flavor, string]
		model.Shape[body, BodySoA[float32, any, Flavor, string], BodySoAView[float32, any, Flavor, string], *BodySoA[float32, any, Flavor, string]]{
			New: NewBodySoA[float32, any, Flavor, string], Align: 64, Pad: 3,
			Pads: map[string]any{"PlaceX": real(9), "PlaceY": real(9)},
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

// A Ring has the methods that -methods asked for, those that they call, and
// those of every container.
func TestMethods(t *testing.T) {
	var methods []string
	for m := range reflect.TypeFor[*Ring[int, int]]().Methods() {
		methods = append(methods, m.Name)
	}
	assert.Equal(t, strings.Fields("AppendView Cap Count Grow Key Len Next RemoveSwap Truncate Value View"), methods)

	s := NewRing[int, string](2)
	s.AppendView(RingView[int, string]{Key: []int{1, 2, 3}, Value: []string{"a", "b", "c"}, Next: make([]*Pair[int, string], 3), Count: make([]int32, 3)})
	s.RemoveSwap(0)
	assert.Equal(t, []int{3, 2}, s.Key())
	assert.Equal(t, []string{"c", "b"}, s.Value())
}

// Fuzz does on a container what a fuzzer thinks of, for one with padding,
// pointers and numbers, and for one with pointers only.
func Fuzz(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 19, 19, 19, 2, 0})
	f.Add(binary.LittleEndian.AppendUint64([]byte{1, 19, 19, 19, 19, 19, 19, 19, 19, 19}, 0x0302_0100_0504_0706))
	f.Add([]byte{49, 19, 19, 19, 19, 6, 3, 200, 4, 255, 8, 2, 7, 0, 15})
	f.Add([]byte{1, 9, 11, 10, 128, 11, 30, 200, 12, 9, 5, 11, 0, 255, 10, 255})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 1000 {
			return
		}
		sphereShape.Run(t, ops)
		pointersShape.Run(t, ops)
	})
}

// What is removed must not be kept alive by the memory it was in.
func TestRemovedPointersAreForgotten(t *testing.T) {
	const n = 20
	for _, test := range []struct {
		name   string
		remove func(*PointersSoA)
		left   int
	}{
		{"Clear", func(s *PointersSoA) { s.Clear() }, 0},
		{"Truncate", func(s *PointersSoA) { s.Truncate(3) }, 3},
		{"RemoveSwap", func(s *PointersSoA) {
			for s.Len() > 2 {
				s.RemoveSwap(0)
			}
		}, 2},
		{"RemoveOrdered", func(s *PointersSoA) {
			for s.Len() > 5 {
				s.RemoveOrdered(1)
			}
		}, 5},
		{"nothing", func(*PointersSoA) {}, n},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := NewPointersSoA(n)
			var refs []weak.Pointer[int]
			for range n {
				p := &new([8]int)[0] // small objects share memory, and keep each other alive
				refs = append(refs, weak.Make(p))
				s.Append(Pointers{Ptr: p})
			}
			test.remove(s)
			runtime.GC()
			alive := 0
			for _, ref := range refs {
				if ref.Value() != nil {
					alive++
				}
			}
			assert.Equal(t, test.left, alive)
			assert.Equal(t, test.left, s.Len())
		})
	}
}

// Pointers in columns must be all that it takes to keep things alive.
func TestColumnsKeepPointersAlive(t *testing.T) {
	s := new(SphereSoA)
	for i := range 5000 {
		s.Append(Sphere{Material: matte(strings.Repeat("m", i%7+1))})
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	runtime.GC()
	for i, v := range s.All() {
		require.Len(t, v.Material.Name(), i%7+1)
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

func TestAppendToColumnCopies(t *testing.T) {
	s := NewSphereSoA(100)
	s.Append(Sphere{Center: Vec3{1, 2, 3}})
	x := append(s.CenterX(), 9)
	x[0] = 8
	assert.Equal(t, []float32{1}, s.CenterX())
	xp := append(s.CenterXPadded(), 9, 9, 9)
	xp[0] = 8
	assert.Equal(t, Sphere{Center: Vec3{1, 2, 3}}, s.At(0))
	assert.Zero(t, s.CenterXPadded()[1])
}

func TestColumnsAreWrittenInPlace(t *testing.T) {
	s := NewSphereSoA(0)
	s.Append(Sphere{})
	s.CenterY()[0] = 5
	assert.Equal(t, float32(5), s.At(0).Center.Y)
}

func TestCapacityTooLarge(t *testing.T) {
	const maxInt = int(^uint(0) >> 1)
	for _, n := range []int{maxInt, maxInt - 8, maxInt / 4, maxInt / 20} {
		require.Panics(t, func() { NewSphereSoA(n) })
	}
	require.Panics(t, func() { NewPointersSoA(maxInt) })
	s := NewSphereSoA(0)
	s.Append(Sphere{InvRadius: 3})
	require.PanicsWithValue(t, "SphereSoA: capacity out of range", func() { s.Grow(maxInt/4 - 1) })
	assert.Equal(t, []float32{3}, s.InvRadius())
}

// Appending must not allocate where there is room, nor must reading.
func TestNoAllocations(t *testing.T) {
	s := NewSphereSoA(1000)
	var sum float32
	allocs := testing.AllocsPerRun(100, func() {
		s.Append(Sphere{InvRadius: 1})
		for _, v := range s.All() {
			sum += v.InvRadius
		}
		for _, x := range s.CenterX() {
			sum += x
		}
		s.Swap(0, s.Len()-1)
		s.Set(0, s.At(0))
		if s.Len() > 50 {
			s.RemoveSwap(3)
			s.RemoveOrdered(4)
			s.Truncate(40)
		}
	})
	assert.Zero(t, allocs)
}

func TestHotLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for n := range 50 {
		s := new(SphereSoA)
		var plain []Sphere
		for range n {
			v := sphere(r)
			s.Append(v)
			plain = append(plain, v)
		}
		p := vec(r)
		inside, at, best := 0, -1, float32(1e30)
		for i, v := range plain {
			x, y, z := v.Center.X-p.X, v.Center.Y-p.Y, v.Center.Z-p.Z
			d := x*x + y*y + z*z
			if d <= v.RadiusSq {
				inside++
			}
			if d < best {
				best, at = d, i
			}
		}
		require.Equal(t, inside, hits(s, p))
		require.Equal(t, at, nearest(s, p))
	}
}
