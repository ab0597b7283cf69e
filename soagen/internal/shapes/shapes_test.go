package shapes

import (
	"encoding/binary"
	"encoding/json"
	htmltemplate "html/template"
	"image"
	"math"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"strconv"
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

func embedding(r *rand.Rand) Embedding {
	return Embedding{
		Vec3: vec(r), base: base{r.Int32()}, Single: &Single{RGB: [3]byte{byte(r.Uint32()), 1, 2}},
		Reader: strings.NewReader(str(r)), note: str(r),
	}
}

func numbers(r *rand.Rand) Numbers {
	return Numbers{
		Bool: r.IntN(2) == 0, Int: r.Int(), Int8: int8(r.Int()), Int16: int16(r.Int()), Int32: r.Int32(), Int64: r.Int64(),
		Uint: r.Uint(), Uint8: uint8(r.Int()), Uint16: uint16(r.Int()), Uint32: r.Uint32(), Uint64: r.Uint64(), Uintptr: uintptr(r.Uint()),
		F32: f32(r), F64: r.Float64(), Real: real(r.Float64()), C64: complex(f32(r), f32(r)), C128: complex(r.Float64(), r.Float64()),
		Flavor: Flavor(r.Int()), Plain: f32(r),
	}
}

func foreign(r *rand.Rand) Foreign {
	return Foreign{
		Took: time.Duration(r.Int64()), When: time.Unix(r.Int64N(1e9), 0), Point: image.Pt(r.Int(), r.Int()),
		Rect: image.Rect(r.IntN(9), 10, 20, 30), Addr: netip.AddrFrom4([4]byte{byte(r.Uint32()), 1, 2, 3}),
		Raw: json.RawMessage(str(r)), Text: template.New(str(r)), HTML: htmltemplate.New(str(r)),
	}
}

func TestSphere(t *testing.T)   { sphereShape.Test(t) }
func TestNumbers(t *testing.T)  { numbersShape.Test(t) }
func TestPointers(t *testing.T) { pointersShape.Test(t) }

var sphereShape = model.Shape[Sphere, SphereSoA, *SphereSoA]{
	New: NewSphereSoA, Value: sphere, Align: 64, Pad: 8,
	Pads: map[string]any{"RadiusSq": float32(math.Inf(-1))},
	Columns: func(t *testing.T, c *SphereSoA, want []Sphere) {
		for i, v := range want {
			require.Equal(t, v, Sphere{Vec3{c.CenterX()[i], c.CenterY()[i], c.CenterZ()[i]}, c.RadiusSq()[i], c.InvRadius()[i], c.Material()[i]})
			require.Equal(t, v.Center.Z, c.CenterZPadded()[i])
		}
	},
}

var pointersShape = model.Shape[Pointers, PointersSoA, *PointersSoA]{New: NewPointersSoA, Value: pointers}

var numbersShape = model.Shape[Numbers, NumbersSoA, *NumbersSoA]{
	New: NewNumbersSoA, Value: numbers, Align: 16, Pad: 4,
	Pads: map[string]any{
		"Bool": true, "Int": -1, "Int8": int8(-128), "Int16": int16(0x7fff), "Int32": int32('x'), "Int64": int64(math.MinInt64),
		"Uint": uint(1 << 31), "Uint8": uint8(255), "Uint32": uint32(1000), "Uint64": uint64(math.MaxUint64), "Uintptr": uintptr(64),
		"F32": float32(math.MaxFloat32), "F64": math.Inf(1), "Real": real(math.NaN()), "C64": complex64(1 - 2.5i), "C128": complex128(1e300),
		"Flavor": Sweet,
	},
}

func TestSphereTable(t *testing.T) {
	model.Shape[Sphere, SphereTable, *SphereTable]{
		New: NewSphereTable, Value: sphere, Align: 32, Pad: 4, Pads: map[string]any{"RadiusSq": float32(math.Inf(-1))},
	}.Test(t)
}

func TestParticle(t *testing.T) {
	model.Shape[Particle, ParticleSoA, *ParticleSoA]{
		New: NewParticleSoA, Align: 32,
		Value: func(r *rand.Rand) Particle {
			return Particle{vec(r), vec(r), r.Float64(), uint8(r.Uint32()), r.IntN(2) == 0}
		},
	}.Test(t)
}

func TestSingle(t *testing.T) {
	model.Shape[Single, SingleSoA, *SingleSoA]{
		New: NewSingleSoA, Align: 64, Pad: 4,
		Value: func(r *rand.Rand) Single { return Single{[3]byte{byte(r.Uint32()), byte(r.Uint32()), 7}} },
	}.Test(t)
}

func TestEmbedding(t *testing.T) {
	model.Shape[Embedding, EmbeddingSoA, *EmbeddingSoA]{
		New: NewEmbeddingSoA, Value: embedding, Align: 64, Pad: 2,
		Pads: map[string]any{"Vec3X": float32(1), "Vec3Y": float32(2), "Vec3Z": float32(-3)},
		Columns: func(t *testing.T, c *EmbeddingSoA, want []Embedding) {
			bases, notes := c.base(), c.note()
			require.Len(t, c.basePadded(), c.PaddedLen())
			for i, v := range want {
				require.Equal(t, v, Embedding{Vec3{c.Vec3X()[i], c.Vec3Y()[i], c.Vec3Z()[i]}, bases[i], c.Single()[i], c.Reader()[i], notes[i]})
			}
		},
	}.Test(t)
}

func TestUnexported(t *testing.T) {
	model.Shape[atom, atomSoA, *atomSoA]{
		New: newAtomSoA,
		Value: func(r *rand.Rand) atom {
			return atom{r.Float64(), r.Float64(), uint8(r.Uint32()), []int{r.Int()}, vec2{int16(r.Int()), int16(r.Int())}}
		},
		Columns: func(t *testing.T, c *atomSoA, want []atom) {
			x, y, element, bonds, velX, velY := c.x(), c.y(), c.element(), c.bonds(), c.velX(), c.velY()
			require.Len(t, x, len(want))
			require.Equal(t, len(want), cap(velX), "append must not run into the next column")
			for i, v := range want {
				require.Equal(t, v, atom{x[i], y[i], element[i], bonds[i], vec2{velX[i], velY[i]}})
			}
		},
	}.Test(t)
}

func TestArrays(t *testing.T) {
	model.Shape[Arrays, ArraysSoA, *ArraysSoA]{
		New: NewArraysSoA, Align: 64,
		Value: func(r *rand.Rand) Arrays {
			return Arrays{
				Matrix: [2][3]float32{{f32(r)}, {0, f32(r)}}, Names: [2]string{str(r), str(r)},
				Dir: [3]float64{r.Float64(), 1, r.Float64()}, Flags: [5]bool{4: r.IntN(2) == 0},
			}
		},
		Columns: func(t *testing.T, c *ArraysSoA, want []Arrays) {
			for i, v := range want {
				require.Equal(t, v.Dir, [3]float64{c.Dir0()[i], c.Dir1()[i], c.Dir2()[i]})
				require.Equal(t, v.Matrix, c.Matrix()[i])
			}
		},
	}.Test(t)
}

func TestTagged(t *testing.T) {
	model.Shape[Tagged, TaggedSoA, *TaggedSoA]{
		New: NewTaggedSoA, Align: 64,
		Value: func(r *rand.Rand) Tagged { return Tagged{ID: r.Int(), Len: r.Int(), Pos: vec(r), hidden: str(r)} },
		Columns: func(t *testing.T, c *TaggedSoA, want []Tagged) {
			for i, v := range want {
				require.Equal(t, v, Tagged{ID: c.Number()[i], Len: c.Length()[i], Pos: Vec3{c.PX()[i], c.PY()[i], c.PZ()[i]}, hidden: c.Shown()[i]})
			}
		},
	}.Test(t)

	s := NewTaggedSoA(1)
	s.Append(Tagged{ID: 1, Scratch: []byte("x"), Notes: "y"})
	assert.Equal(t, Tagged{ID: 1}, s.At(0), "fields without a column come back as zero")
}

func TestForeign(t *testing.T) {
	model.Shape[Foreign, ForeignSoA, *ForeignSoA]{New: NewForeignSoA, Value: foreign, Align: 64}.Test(t)
}

func TestNothing(t *testing.T) {
	model.Shape[Nothing, NothingSoA, *NothingSoA]{
		New: NewNothingSoA, Align: 64, Pad: 8, Value: func(*rand.Rand) Nothing { return Nothing{} },
	}.Test(t)
}

func TestNode(t *testing.T) {
	model.Shape[Node, NodeSoA, *NodeSoA]{
		New: NewNodeSoA, Align: 64,
		Value: func(r *rand.Rand) Node {
			v := Node{Next: &Node{Children: make([]Node, r.IntN(3))}, Children: make([]Node, r.IntN(3))}
			v.Key.Hi, v.Key.Lo = r.Uint32(), r.Uint32()
			return v
		},
	}.Test(t)
}

func TestRect(t *testing.T) {
	model.Shape[Rect, RectSoA, *RectSoA]{
		New: NewRectSoA, Align: 64,
		Value: func(r *rand.Rand) Rect { return Rect{image.Pt(r.Int(), r.Int()), image.Pt(r.Int(), r.Int())} },
	}.Test(t)
}

func TestGeneric(t *testing.T) {
	t.Run("pointers", func(t *testing.T) {
		model.Shape[Pair[string, *int], PairSoA[string, *int], *PairSoA[string, *int]]{
			New: NewPairSoA[string, *int], Align: 1, // only Count is in the shared block
			Value: func(r *rand.Rand) Pair[string, *int] {
				return Pair[string, *int]{str(r), ptr(r), new(Pair[string, *int]), r.Int32()}
			},
		}.Test(t)
	})
	t.Run("numbers", func(t *testing.T) {
		model.Shape[Pair[int8, Vec3], PairSoA[int8, Vec3], *PairSoA[int8, Vec3]]{
			New: NewPairSoA[int8, Vec3], Align: 1,
			Value: func(r *rand.Rand) Pair[int8, Vec3] { return Pair[int8, Vec3]{Key: int8(r.Int()), Value: vec(r)} },
		}.Test(t)
	})
	t.Run("constrained", func(t *testing.T) {
		model.Shape[Body[float32, any], BodySoA[float32, any], *BodySoA[float32, any]]{
			New: NewBodySoA[float32, any], Align: 1, Pad: 3, Pads: map[string]any{"PlaceX": real(9), "PlaceY": real(9)},
			Value: func(r *rand.Rand) Body[float32, any] {
				return Body[float32, any]{Pos: Vec[float32]{f32(r), f32(r)}, At: Vec[real]{real(r.Float64()), 1}}
			},
		}.Test(t)
	})
}

// Fuzz does on a container what a fuzzer thinks of, for one with padding,
// pointers and numbers, and for one with pointers only.
func Fuzz(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 15, 15, 15, 2, 0})
	f.Add(binary.LittleEndian.AppendUint64([]byte{1, 9, 9, 9, 9, 9, 9, 9, 9, 9}, 0x0302_0100_0504_0706))
	f.Add([]byte{49, 10, 10, 10, 10, 6, 3, 200, 4, 255, 8, 2, 7, 0, 11})
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
	require.PanicsWithError(t, "SphereSoA: capacity out of range ["+strconv.Itoa(maxInt/4)+"] with length 1", func() { s.Grow(maxInt/4 - 1) })
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
