package kerneltest

import (
	"slices"
	"testing"
	"unsafe"
)

// place says where a kernel finds its memory.
type place struct {
	// Bytes from a multiple of 64 to the start of what is read, and of what is written.
	read, written int
	// If not nil, the columns, the ray, the numbers and the words lie at the start or at the
	// end of these instead.
	pages [][]byte
	atEnd bool
}

// call is the memory of one call of a kernel: copies of the columns of a pass and of a ray,
// and what the kernel writes, each between guard words. Its pass and its ray point into it.
type call struct {
	// What the kernel reads, as it has to be afterwards: the four columns and the ray.
	inputs [5][]float32
	floats [7]Guarded[float32] // the copies of the inputs, the coefficients, the discriminants
	words  Guarded[uint64]
	pass   Pass
	ray    *Ray
}

func newCall(in *Pass, r *Ray, at place) *call {
	c := &call{inputs: [5][]float32{
		in.CX, in.CY, in.CZ, in.RadiusSq, slices.Concat(r.Origin[:], r.Direction[:]),
	}}
	n := len(in.CX)
	for i := range c.floats {
		m := &c.floats[i]
		if i < len(c.inputs) {
			*m = NewGuarded[float32](len(c.inputs[i]), at.read)
		} else {
			*m = NewGuarded[float32](n, at.written)
		}
		if at.pages != nil {
			m.Elements = Slice[float32](at.pages[i], at.atEnd, len(m.Elements))
		}
		if i < len(c.inputs) {
			copy(m.Elements, c.inputs[i])
		}
	}
	c.words = NewGuarded[uint64]((n+63)/64, at.written)
	if at.pages != nil {
		c.words.Elements = Slice[uint64](at.pages[len(c.floats)], at.atEnd, len(c.words.Elements))
	}
	m := &c.floats
	c.ray = (*Ray)(unsafe.Pointer(&m[4].Elements[0]))
	c.pass = Pass{
		CX: m[0].Elements, CY: m[1].Elements, CZ: m[2].Elements, RadiusSq: m[3].Elements,
		NB: m[5].Elements, Discriminants: m[6].Elements, Words: c.words.Elements,
	}
	return c
}

// check fails the test unless the inputs and all guard words are as they were.
func (c *call) check(t testing.TB, r *Ray) {
	t.Helper()
	c.words.Check(t, "the words")
	for i, name := range []string{
		"cx", "cy", "cz", "the squared radii", "the ray", "the coefficients", "the discriminants",
	} {
		c.floats[i].Check(t, name)
		if i < len(c.inputs) && !sameBits(c.floats[i].Elements, c.inputs[i]) {
			t.Fatalf("%d spheres, %v: the kernel changed %s", len(c.pass.CX), *r, name)
		}
	}
}
