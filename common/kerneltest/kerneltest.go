// Package kerneltest is the one harness for kernels, as steptest is for whole
// steps. A step's test describes its kernels as a [Suite], in plain slices, and
// calls the methods. They compare a kernel with its twin in plain Go and both
// with an oracle that computes in package big, on every number of spheres,
// alignment and value that a kernel is likely to get wrong:
//
//   - counts: every number of spheres from 0 to 200;
//   - alignment: of columns and of all that is written, in steps of 4 bytes;
//   - masks: every set of candidates among eight neighbors;
//   - padding: it is never a candidate;
//   - special values: zeros of both signs, denormals, infinities, NaN;
//   - pages (Linux only): nothing is touched beyond the ends of any slice;
//   - random: as many inputs as the flag -pairs says.
//
// In all of them, what a kernel writes lies between guard words, and what it
// reads must be the same afterward. On amd64, the upper halves of the registers
// must be clean. The first pass and the closest hit are compared to the bit.
//
// An input is a pair of a ray and a sphere, since a first pass computes
// something for each such pair. To compare a kernel and its twin on 100 million:
//
//	go test ./step12 -run FirstPass -pairs 100000000
package kerneltest

import (
	"flag"
	"math"
	"slices"
	"testing"
	"unsafe"
)

var pairs = flag.Int("pairs", 1_000_000, "`inputs` on which a kernel and its twin are compared at random: pairs of a ray and a sphere")

// Pairs returns the value of the flag -pairs.
func Pairs() int { return *pairs }

// Ray has the layout of a step's Ray, six float32, so that a step's test can
// convert a pointer to one.
type Ray struct{ Origin, Direction Vec }

// Sphere is what the container of a step holds, without the material. Tests of
// the first pass alone leave InvRadius 0, and use squared radii that no radius
// has.
type Sphere struct {
	Center              Vec
	RadiusSq, InvRadius float32
}

// Pass is what a first pass reads and writes.
type Pass struct {
	// The columns of the spheres, all of one length, which the kernel's Lanes
	// divide. No kernel may write to them.
	CX, CY, CZ, RadiusSq []float32
	// The coefficient and the discriminant of a candidate, at its index. As long
	// as the columns.
	NB, Discriminants []float32
	// The candidates, a bit a sphere, the first in the lowest bit of the first
	// word.
	Words []uint64
}

// Closest returns the index of the sphere that a ray hits first at a distance
// between tMin and tMax, both exclusive, and the distance; or -1 and tMax. tMin
// is not negative. The ray is not changed.
type Closest func(r *Ray, tMin, tMax float32) (index int, t float32)

// Kernel is one implementation of the hit test.
type Kernel struct {
	Name  string
	Lanes int // what the length of the columns has to be a multiple of
	Align int // what the addresses of the columns have to be a multiple of, in bytes
	// Bind returns the function that runs the kernel on a pass.
	Bind func(*Pass) Closest
	// Missing says that this build, or this processor, cannot run the kernel.
	Missing bool
}

// skip skips the test of a kernel that cannot run here, and says so.
func (k *Kernel) skip(tb testing.TB) {
	tb.Helper()
	if k.Missing {
		tb.Skipf("not tested: this build or this processor cannot run the kernel %q", k.Name)
	}
}

// Suite is the hit test of a step.
type Suite struct {
	// All implementations, the twin in plain Go first.
	Kernels []Kernel
	// The columns of the step's container are padded to a multiple of so many
	// spheres.
	Padding int
	// Sums of products are fused: rounded once an addition.
	Fused bool
	// The coefficient is b of t² + 2b·t + c = 0, to the bit. Otherwise it is
	// nb = -b, and the sign of an nb of 0 does not count.
	B bool
	// Columns puts spheres into the step's container and returns what the step
	// gives to its kernels.
	Columns func([]Sphere) Pass
	// Hit puts spheres into the step's world, and returns the function that
	// finds what a ray hits: the index of the sphere or -1, the point and the
	// normal.
	Hit func(testing.TB, []Sphere) func(*Ray) (index int, point, normal Vec)
}

// maxCount is the number of spheres up to which every number is tested.
const maxCount = 200

// candidate is what a first pass tells of a sphere: the index, and the bits of
// the numbers.
type candidate struct {
	index, nb, discriminant uint32
}

// candidates returns what a kernel has written to a pass.
func (s *Suite) candidates(t testing.TB, p *Pass) []candidate {
	t.Helper()
	n := len(p.CX)
	list := make([]candidate, 0, n)
	for i := range 64 * len(p.Words) {
		if p.Words[i/64]>>(i%64)&1 == 1 {
			if i >= n {
				t.Fatalf("candidate %d of %d spheres, after %v", i, n, list)
			}
			list = append(list, candidate{uint32(i), s.bits(p.NB[i]), math.Float32bits(p.Discriminants[i])})
		}
	}
	return list
}

// hit is what Closest returns.
type hit struct {
	index int
	t     float32
}

// hits returns the closest hit of a ray between the distances of the steps, then
// those before and beyond this hit, and the one between 0 and infinity.
func hits(r *Ray, closest Closest) (hits [4]hit) {
	between := func(tMin, tMax float32) hit {
		i, t := closest(r, tMin, tMax)
		return hit{i, t}
	}
	hits[0] = between(tMin, math.MaxFloat32)
	hits[1] = between(tMin, hits[0].t)
	hits[2] = between(hits[0].t, inf)
	hits[3] = between(0, inf)
	return hits
}

// bits returns the bits of a coefficient that count.
func (s *Suite) bits(nb float32) uint32 {
	if nb == 0 && !s.B {
		return 0
	}
	return math.Float32bits(nb)
}

// run runs a kernel on the columns of a pass. What it writes lies between guard
// words, so many bytes after a multiple of 64.
func (s *Suite) run(t testing.TB, k *Kernel, in *Pass, r *Ray, offset int) ([]candidate, [4]hit) {
	t.Helper()
	n := len(in.CX)
	nb, discriminants := NewGuarded[float32](n, offset), NewGuarded[float32](n, offset)
	words := NewGuarded[uint64]((n+63)/64, offset)
	p, ray := *in, *r
	p.NB, p.Discriminants, p.Words = nb.Elements, discriminants.Elements, words.Elements
	columns := [...][]float32{p.CX, p.CY, p.CZ, p.RadiusSq}
	before := slices.Concat(columns[:]...)

	closest := k.Bind(&p)
	found := hits(&ray, func(r *Ray, tMin, tMax float32) (index int, distance float32) {
		if LeavesUppers(func() { index, distance = closest(r, tMin, tMax) }) {
			t.Fatalf("%d spheres: the upper halves of the registers are not clean; want VZEROUPPER at the end", n)
		}
		return index, distance
	})

	nb.Check(t, "the coefficients")
	discriminants.Check(t, "the discriminants")
	words.Check(t, "the words")
	if !slices.EqualFunc(slices.Concat(columns[:]...), before, func(x, y float32) bool {
		return math.Float32bits(x) == math.Float32bits(y) // NaN is equal to itself
	}) {
		t.Fatalf("%d spheres: the columns have changed", n)
	}
	if rayBits(&ray) != rayBits(r) {
		t.Fatalf("the ray has changed: from %v to %v", *r, ray)
	}
	return s.candidates(t, &p), found
}

// check runs a kernel on the columns of a pass, and holds what comes out to the
// twin and to the oracle. It returns the candidates without those whose
// discriminant is NaN.
func (s *Suite) check(t testing.TB, k *Kernel, p *Pass, r *Ray, offset int) []candidate {
	t.Helper()
	got, found := s.checkTwin(t, k, p, r, offset)
	got = s.withoutNaN(t, got, p, r)
	want := s.oracle(p, r)
	if !slices.Equal(got, want) {
		t.Fatalf("%d spheres, %v\n got %v\nwant %v", len(p.CX), *r, got, want)
	}
	if want := hits(r, s.closest(want)); found != want {
		t.Fatalf("%d spheres, %v\n got hits %v\nwant hits %v", len(p.CX), *r, found, want)
	}
	return got
}

// checkTwin runs a kernel and the twin, and compares all that means something.
// It returns the candidates and the hits of the kernel.
func (s *Suite) checkTwin(t testing.TB, k *Kernel, p *Pass, r *Ray, offset int) ([]candidate, [4]hit) {
	t.Helper()
	got, found := s.run(t, k, p, r, offset)
	want, twin := s.run(t, &s.Kernels[0], p, r, 0)
	if found != twin {
		t.Fatalf("%d spheres, %v\n got hits %v\ntwin hits %v", len(p.CX), *r, found, twin)
	}
	if !slices.Equal(got, want) && !slices.Equal(s.withoutNaN(t, got, p, r), s.withoutNaN(t, want, p, r)) {
		t.Fatalf("%d spheres, %v\n got %v\ntwin %v", len(p.CX), *r, got, want)
	}
	return got, found
}

// withoutNaN returns the candidates without those whose discriminant is NaN by
// the oracle, and so must be NaN. An implementation may have them or not.
func (s *Suite) withoutNaN(t testing.TB, list []candidate, p *Pass, r *Ray) []candidate {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(list), func(c candidate) bool {
		if _, want := s.exact(p, r, int(c.index)); want == want {
			return false
		}
		if got := math.Float32frombits(c.discriminant); got == got {
			t.Fatalf("%d spheres, %v: discriminant %d is %g; want NaN", len(p.CX), *r, c.index, got)
		}
		return true
	})
}

// rayBits returns the numbers of a ray so that NaN is equal to itself.
func rayBits(r *Ray) [6]uint32 { return *(*[6]uint32)(unsafe.Pointer(r)) }
