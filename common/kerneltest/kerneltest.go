// Package kerneltest is the one harness for kernels, as steptest is for whole
// steps. A step's test describes its kernels as a [Suite], in plain slices, and
// calls the methods. They compare a kernel, and its twin in plain Go, with an oracle
// that rounds by itself: for every number of spheres from 0 to 200 and every
// alignment, with padding and special values, at the ends of pages that may not be
// touched (Linux only), and at random.
//
// What a kernel reads and writes lies between guard words, and what it reads must
// be the same afterward. On amd64, the upper halves of the registers must be clean.
// The first pass and the closest hit are compared to the bit.
//
// An input is a pair of a ray and a sphere, since a first pass computes
// something for each such pair. To compare on 100 million:
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

var pairs = flag.Int("pairs", 1_000_000, "`inputs` on which a kernel is compared at random: pairs of a ray and a sphere")

// Pairs returns the value of the flag -pairs.
func Pairs() int { return *pairs }

// Ray has the layout of a step's Ray, six float32, so that a step's test can
// convert a pointer to one.
type Ray struct{ Origin, Direction Vec }

// Sphere is what a first pass needs of one. Its squared radius may be one that no radius
// has.
type Sphere struct {
	Center   Vec
	RadiusSq float32
}

// Pass is what a first pass reads and writes, in the order that the steps have it in.
type Pass struct {
	// The columns of the spheres, all of one length, which the kernel's Lanes
	// divide. No kernel may write to them.
	CX, CY, CZ, RadiusSq []float32
	// The candidates, a bit a sphere, the first in the lowest bit of the first
	// word.
	Words []uint64
	// The coefficient and the discriminant of a candidate, at its index. As long
	// as the columns.
	NB, Discriminants []float32
}

// Closest returns the index of the sphere that a ray hits first at a distance
// between tMin and tMax, both exclusive, and the distance; or -1 and tMax. tMin
// is not negative. The ray is not changed.
type Closest func(r *Ray, tMin, tMax float32) (index int, t float32)

// Bind returns what binds a first pass and the second pass after it.
func Bind[P, R any](
	run func(p *P, r *R), second func(p *P, tMin, tMax float32) (int, float32),
) func(*Pass) Closest {
	return BindClosest(func(p *P, r *R, tMin, tMax float32) (int, float32) {
		run(p, r)
		return second(p, tMin, tMax)
	})
}

// BindClosest returns what binds both passes in one function. The ray has the layout of
// Ray, and P begins with that of Pass.
func BindClosest[P, R any](closest func(p *P, r *R, tMin, tMax float32) (int, float32)) func(*Pass) Closest {
	return func(pass *Pass) Closest {
		p := new(P)
		*(*Pass)(unsafe.Pointer(p)) = *pass
		return func(r *Ray, tMin, tMax float32) (int, float32) {
			return closest(p, (*R)(unsafe.Pointer(r)), tMin, tMax)
		}
	}
}

// PassOf returns what a first pass begins with, which has to have the layout of Pass.
func PassOf[P any](p *P) Pass { return *(*Pass)(unsafe.Pointer(p)) }

// Kernel is one implementation of the first pass.
type Kernel struct {
	Name  string
	Lanes int // what the length of the columns has to be a multiple of
	Align int // what the addresses of the columns have to be a multiple of, in bytes
	// Bind returns the function that runs the kernel on a pass, and then the second pass.
	Bind func(*Pass) Closest
	// Missing says that this build, or this processor, cannot run the kernel.
	Missing bool
}

// skip skips the test or the benchmark of a kernel that cannot run here.
func (k *Kernel) skip(tb testing.TB) {
	switch {
	case k.Missing && k.Name == "plain":
		tb.Skip("not tested: this build or this processor has no kernel")
	case k.Missing:
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
	// Columns puts spheres into the step's container, and returns what the step gives to
	// its kernels.
	Columns func([]Sphere) Pass
}

// tMin is the distance up to which the steps take no hit, so that a scattered
// ray does not hit the surface that it starts on.
const tMin = 0.001

// maxCount is the number of spheres up to which every number is tested.
const maxCount = 200

// candidate is what a first pass tells of a sphere: the index, and the bits of
// the numbers. The sign of a coefficient of 0 does not count.
type candidate struct{ index, nb, discriminant uint32 }

func candidateOf(index int, nb, discriminant float32) candidate {
	if nb == 0 {
		nb = 0 // and not -0
	}
	return candidate{uint32(index), math.Float32bits(nb), math.Float32bits(discriminant)}
}

// hit is what Closest returns.
type hit struct {
	index int
	t     float32
}

// result is what a kernel finds for a ray.
type result struct {
	candidates []candidate
	// The closest hit between the distances of the steps, then those before and
	// beyond this one, and the one between 0 and infinity.
	hits [4]hit
}

func hits(closest func(tMin, tMax float32) hit) (hits [4]hit) {
	hits[0] = closest(tMin, math.MaxFloat32)
	hits[1] = closest(tMin, hits[0].t)
	hits[2] = closest(hits[0].t, inf)
	hits[3] = closest(0, inf)
	return hits
}

// run runs a kernel on copies of the columns of a pass and of a ray. What the
// kernel reads must stay as it is, and so must what lies around that and around
// what it writes.
func (s *Suite) run(t testing.TB, k *Kernel, in *Pass, r *Ray, at place) result {
	t.Helper()
	n, c := len(in.CX), newCall(in, r, at)
	closest := k.Bind(&c.pass)
	found := hits(func(tMin, tMax float32) (h hit) {
		fault := FaultOf(func() {
			if LeavesUppers(func() { h.index, h.t = closest(c.ray, tMin, tMax) }) {
				t.Fatalf("%d spheres: the upper halves of the registers are not clean; want VZEROUPPER at the end", n)
			}
		})
		if fault != nil {
			t.Fatalf("%d spheres, %v: %v", n, *r, fault)
		}
		return h
	})
	c.check(t, r)
	return result{s.candidates(t, in, r, &c.pass), found}
}

// candidates returns those that a kernel wrote into a pass, without those whose
// discriminant is NaN: of these an implementation may have any.
func (s *Suite) candidates(t testing.TB, in *Pass, r *Ray, out *Pass) (all []candidate) {
	t.Helper()
	n := len(in.CX)
	for i := range 64 * len(out.Words) {
		if out.Words[i/64]>>(i%64)&1 == 0 {
			continue
		}
		if i >= n {
			t.Fatalf("candidate %d of %d spheres, after %v", i, n, all)
		}
		if _, want := s.exact(in, r, i); want == want {
			all = append(all, candidateOf(i, out.NB[i], out.Discriminants[i]))
		} else if got := out.Discriminants[i]; got == got {
			t.Fatalf("%d spheres, %v: discriminant %d is %g; want NaN", n, *r, i, got)
		}
	}
	return all
}

// sameBits compares numbers so that NaN is equal to itself.
func sameBits(a, b []float32) bool {
	equal := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	return slices.EqualFunc(a, b, equal)
}

// check runs a kernel on the columns of a pass, holds what comes out to the oracle, and
// returns the candidates.
func (s *Suite) check(t testing.TB, k *Kernel, p *Pass, r *Ray, at place) []candidate {
	t.Helper()
	got, want := s.run(t, k, p, r, at), s.oracle(p, r)
	if got.hits != want.hits || !slices.Equal(got.candidates, want.candidates) {
		t.Fatalf("%d spheres, %v\n got %v\nwant %v", len(p.CX), *r, got, want)
	}
	return got.candidates
}
