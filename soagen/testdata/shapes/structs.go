package shapes

import (
	"cmp"
	"encoding/json"
	htmltemplate "html/template"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"net/netip"
	"text/template"
	"time"
	"unsafe"
)

//go:generate go tool soagen -type Pointers
//go:generate go tool soagen -type Numbers -align 16 -pad 4
//go:generate go tool soagen -type record,Foreign -output record_soa.go
//go:generate go tool soagen -type Single,Nothing,Rect -output single_soa.go -align 32 -pad 2
//go:generate go tool soagen -type Pair,Body -output generic_soa.go -pad 3
//go:generate go tool soagen -type Node,Cloud -output node_soa.go -align 32 -pad 4
//go:generate go tool soagen -type Pair -soa Ring -output ring_soa.go -align 0 -methods New,RemoveSwap,AppendView,Key,Value

// Single has one column of an odd size.
type Single struct {
	RGB [3]byte
}

// Pointers has nothing without pointers.
type Pointers struct {
	Ptr    *int
	Text   string
	List   []int
	Table  map[string]int
	Queue  chan int
	Any    any
	Nested struct {
		N    int `json:"n"`
		Text string
	}
	Raw unsafe.Pointer
}

type base struct{ ID int32 }

type vec2 struct{ x, y int16 }

// record has embedded fields of each kind, arrays, fields that are not
// exported, are left out or are called something else, and a blank field, which
// has no column.
type record struct {
	Vec3 `soa:"split"`
	base
	*Single
	io.Reader
	note    string
	vel     vec2 `soa:"split"`
	Matrix  [2][3]float32
	Names   [2]string
	Dir     [3]float64 `soa:"split"`
	None    [0]int64
	NoNames [0]string
	Flags   [5]bool
	ID      int    `json:"id" soa:"name=Number"`
	Len     int    `soa:"name=Length"`
	Scratch []byte `soa:"-"`
	_       [4]byte
	Pos     Vec3   `soa:"split,name=P"`
	hidden  string `soa:"name=Shown"`
	Notes   string `soa:"-"`
}

// Flavor is a named number, and Sweet a constant of it.
type Flavor int8

const Sweet Flavor = 3

type real float64

// Numbers has a column of each basic type, with pad values of each form.
type Numbers struct {
	Bool    bool    `soa:"pad=true"`
	Int     int     `soa:"pad=-1"`
	Int8    int8    `soa:"pad=-128"`
	Int16   int16   `soa:"pad=0x7fff"`
	Int32   int32   `soa:"pad='x'"`
	Int64   int64   `soa:"pad=math.MinInt64"`
	Uint    uint    `soa:"pad=1<<31"`
	Uint8   uint8   `soa:"pad=255"`
	Uint16  uint16  `soa:"pad=0"`
	Uint32  uint32  `soa:"pad=1_000"`
	Uint64  uint64  `soa:"pad=math.MaxUint64"`
	Uintptr uintptr `soa:"pad=64"`
	F32     float32 `soa:"pad=math.MaxFloat32"`
	F64     float64 `soa:"pad=inf"`
	Real    real    `soa:"pad=nan"`
	C64     complex64
	C128    complex128
	Flavor  Flavor `soa:"pad=Sweet"`
	Plain   float32
}

var _ = math.Pi // the pad values of Numbers name constants of math

// Foreign has types of other packages, two of which have the same name, types
// without a name, and itself.
type Foreign struct {
	Took  time.Duration
	When  time.Time
	Point image.Point `soa:"split"`
	Rect  image.Rectangle
	Seed  rand.PCG // has no pointers, but fields that soagen has no access to
	Addr  netip.Addr
	Raw   json.RawMessage
	Text  *template.Template
	HTML  *htmltemplate.Template
	Month func(time.Month) (io.Writer, error)
	Next  *Foreign
	List  []Foreign
	Key   struct {
		Hi, Lo uint32
		Kind   Flavor
	}
	Less interface{ Less(Foreign) bool }
}

// Nothing has columns that take no memory.
type Nothing struct {
	A struct{}
	B [0]float64
}

// Rect is defined by the type of another package.
type Rect image.Rectangle

// Pair has columns with and without pointers, and itself.
type Pair struct {
	Key   string
	Value *int
	Next  *Pair
	Count int32
}

// Vec is a generic vector.
type Vec[T ~float32 | ~float64] struct{ X, Y T }

// Body has vectors of which none has pointers.
type Body struct {
	Pos    Vec[float32] `soa:"split"`
	Force  Vec[float32] // not split
	At     Vec[real]    `soa:"split,name=Place,pad=9:8"`
	Mass   float32
	Flavor [2]Flavor
	Any    any
}

// Node is generic, so that its columns may have pointers or not.
type Node[K cmp.Ordered, V any] struct {
	Key   K
	Value V
	Next  *Node[K, V]
	Count int32 `soa:"pad=-1"`
	Both  [2]V
	Note  string
}

// Cloud has generic vectors, and type parameters with the names of variables.
type Cloud[s ~float32 | ~float64, _ any] struct {
	Pos   Vec[s] `soa:"split"`
	Force Vec[s]
	Mass  s
	Place Vec[float64] `soa:"split,pad=3"`
}
