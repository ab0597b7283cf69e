// Package hostile has structs and containers in a package that uses the names
// generated code would like to use itself.
package hostile

import "raysteps/soagen/internal/shapes/hostile/mem"

//go:generate go run raysteps/soagen -type i -pad 4
//go:generate go run raysteps/soagen -type Shadow -standalone
//go:generate go run raysteps/soagen -type Box -pad 2
//go:generate go run raysteps/soagen -type Ref

// Types with the names of local variables.
type (
	s      float32
	v      [2]float32
	n      uint8
	t      *int
	c      complex64
	k      int16
	e      struct{ E bool }
	E      uint32
	block  int32
	size   int64
	row    string
	next   bool
	zero   float64
	column []s
)

// Other declarations with the names of packages and of what is generated.
var (
	iter, unsafe = 1, 2
	strconv      = iter + unsafe
)

const reflect = 3

func iSoAError() int { return strconv + reflect }

func iSoACut() int { return iSoAError() }

func min(a, b int) int { return a - b } // not what Go's own does
func max(a, b int) int { return b - a }
func clear() int       { return min(1, 2) + max(1, 2) + iSoACut() }
func append() int      { return clear() }
func cap() int         { return append() }

// Use uses all of these.
func Use() int { return cap() }

// i has columns with the names of what is private to a container.
type i struct {
	count  s
	cols   v
	check  n `soa:"pad=7"`
	resize t
	c      c
	k      k
	e      e
	E      E
	block  block
	size   size
	row    row
	next   next
	zero   zero
	column column
	i      *i
}

// Shadow has a type of a package with the name of another.
type Shadow struct {
	Mem mem.Mem
	Q   float32 `soa:"name=Kap"`
}

// Box has type parameters with the names of local variables and packages.
type Box[iter2, s any, mem2 comparable] struct {
	Iter iter2
	S    s
	Mem  mem2
	N    float32 `soa:"pad=1"`
	M    mem.Mem
}

// Ref has a constraint that would be taken for a multiplication if it were
// written without its comma.
type Ref[P *int,] struct {
	P P
	N int
}
