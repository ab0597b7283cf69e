package kerneltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
)

// TestFirstPass tests the columns and every kernel.
func (s *Suite) TestFirstPass(t *testing.T) {
	t.Run("columns", s.testColumns)
	for i := range s.Kernels {
		k := &s.Kernels[i]
		t.Run(k.Name, func(t *testing.T) {
			k.skip(t)
			test := func(name string, run func(*testing.T, *Kernel)) {
				t.Run(name, func(t *testing.T) { run(t, k) })
			}
			test("counts", s.testCounts)
			test("alignment", s.testAlignment)
			test("masks", s.testMasks)
			test("padding", s.testPadding)
			test("special values", s.testSpecialValues)
			test("pages", s.testPages)
			test("random", s.testRandom)
		})
	}
}

// testColumns holds the columns of the step's container to what its kernels take
// for granted.
func (s *Suite) testColumns(t *testing.T) {
	for n := range maxCount + 1 {
		p := s.Columns(make([]Sphere, n))
		padded := (n + s.Padding - 1) / s.Padding * s.Padding
		for name, column := range map[string][]float32{"cx": p.CX, "cy": p.CY, "cz": p.CZ, "radiusSq": p.RadiusSq} {
			require.Len(t, column, padded, name)
			if n > 0 {
				require.Zero(t, uintptr(unsafe.Pointer(&column[0]))%mem.CacheLine, "%s of %d spheres starts off a cache line", name, n)
			}
		}
		require.Len(t, p.Words, (padded+63)/64)
		require.Len(t, p.NB, padded)
		require.Len(t, p.Discriminants, padded)
	}
}

// testCounts takes every number of spheres.
func (s *Suite) testCounts(t *testing.T, k *Kernel) {
	rng := rand.New(rand.NewPCG(10, 1))
	found := 0
	for n := range maxCount + 1 {
		spheres := RandomSpheres(rng, n)
		p := s.Columns(spheres)
		for range 16 {
			r := RandomRay(rng, spheres)
			found += len(s.check(t, k, &p, &r, 0))
		}
	}
	assert.Greater(t, found, maxCount*16, "candidates that were compared")
}

// shifted returns a pass over the same spheres whose columns start so many bytes
// after a multiple of 64. As in a container, they share a block, which is
// shifted as a whole.
func shifted(p *Pass, bytes int) Pass {
	q, n := *p, len(p.CX)
	size := (n + 15) / 16 * 16 // of a column, up to where the next can start
	block := mem.Aligned[float32](4*size+bytes/4, mem.CacheLine)[bytes/4:]
	for i, column := range []*[]float32{&q.CX, &q.CY, &q.CZ, &q.RadiusSq} {
		to := block[i*size:][:n:n]
		copy(to, *column)
		*column = to
	}
	return q
}

// testAlignment lets columns start wherever the kernel allows, and all that is
// written anywhere.
func (s *Suite) testAlignment(t *testing.T, k *Kernel) {
	rng := rand.New(rand.NewPCG(10, 2))
	for n := k.Lanes; n <= 10*s.Padding; n += k.Lanes {
		spheres := RandomSpheres(rng, n)
		r := RandomRay(rng, spheres)
		whole := s.Columns(spheres)
		whole.CX, whole.CY, whole.CZ, whole.RadiusSq = whole.CX[:n], whole.CY[:n], whole.CZ[:n], whole.RadiusSq[:n]
		for shift := 0; shift < 512; shift += max(k.Align, 4) {
			p := shifted(&whole, shift)
			if shift%64 == 0 {
				for offset := 0; offset < 64; offset += 4 {
					s.checkTwin(t, k, &p, &r, offset)
				}
			}
			s.checkTwin(t, k, &p, &r, shift%60)
		}
		s.check(t, k, &whole, &r, 0)
	}
}

// testMasks takes every set of candidates of eight spheres, at every place of a
// group, with the ones around them all candidates or none.
func (s *Suite) testMasks(t *testing.T, k *Kernel) {
	n := 3 * max(8, s.Padding)
	for first := 0; first < n; first += 8 {
		for _, around := range []float32{0, 2} {
			for mask := range 256 {
				spheres := make([]Sphere, n)
				want := 0
				for i := range spheres {
					x := around
					if i >= first && i < first+8 {
						x = float32(mask >> (i - first) & 1 * 2)
					}
					spheres[i] = sphereAt(x, 0, float32(i), 1)
					if x == 0 {
						want++
					}
				}
				p := s.Columns(spheres)
				if got := s.check(t, k, &p, &ahead, 0); len(got) != want {
					t.Fatalf("mask %08b from sphere %d on, %g around it: candidates %v; want %d", mask, first, around, got, want)
				}
			}
		}
	}
}

// testPadding holds the padding to never being a candidate, though it is next to
// spheres that all are. The rays are as large as those of the largest scene that
// can be read, and larger: up to where squares exceed float32, and with them the
// discriminant.
func (s *Suite) testPadding(t *testing.T, k *Kernel) {
	rng := rand.New(rand.NewPCG(10, 3))
	for n := range maxCount + 1 {
		p := s.Columns(slices.Repeat([]Sphere{sphereAt(0, 0, 0, inf)}, n))
		for _, size := range []float32{0, 1e-30, 1, 10, 1e9, 1e18} {
			r := Ray{RandomVec(rng, size), RandomVec(rng, 1).unit()}
			got := s.check(t, k, &p, &r, 0)
			if len(got) != n {
				t.Fatalf("%d spheres, %v: %d candidates; want %d", n, r, len(got), n)
			}
			for i, c := range got {
				if c.index != uint32(i) {
					t.Fatalf("%d spheres: candidate %d is sphere %d", n, i, c.index)
				}
			}
		}
	}
}

// testSpecialValues takes the cases, and spheres and rays of special values.
func (s *Suite) testSpecialValues(t *testing.T, k *Kernel) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			// Spheres that are missed come first, so that those of the case are at
			// every place of a group.
			for before := range max(8, s.Padding) {
				missed := slices.Repeat([]Sphere{sphereAt(1000, 0, 0, 1)}, before)
				p := s.Columns(append(missed, tt.spheres...))
				var got []uint32
				for _, c := range s.check(t, k, &p, &tt.ray, 0) {
					if int(c.index) >= before {
						got = append(got, c.index-uint32(before))
					}
				}
				require.Equal(t, tt.candidates, got, "candidates after %d other spheres", before)
			}
		})
	}
	t.Run("all together", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 4))
		compared := 0
		for range 3000 {
			spheres, ray := special.input(rng, 3*max(8, s.Padding))
			p, r := s.Columns(spheres), ray()
			compared += len(s.check(t, k, &p, &r, 0))
		}
		assert.Greater(t, compared, 3000, "candidates that were compared")
	})
}

// testPages holds a kernel to reading and writing nothing outside the padded
// columns, the ray and what the pass writes: each has pages of its own, and lies
// at their very end or start.
func (s *Suite) testPages(t *testing.T, k *Kernel) {
	pages := make([]Pages, 8)
	for i := range pages {
		pages[i] = NewPages(t, maxCount*8)
	}
	for _, atEnd := range []bool{false, true} {
		t.Run(map[bool]string{false: "start", true: "end"}[atEnd], func(t *testing.T) {
			rng := rand.New(rand.NewPCG(10, 7))
			for n := 0; n <= maxCount; n += k.Lanes {
				spheres := RandomSpheres(rng, n)
				whole := s.Columns(spheres)
				column := func(i int, from []float32) []float32 {
					to := Slice[float32](pages[i], atEnd, n)
					copy(to, from)
					return to
				}
				p := Pass{
					CX: column(0, whole.CX), CY: column(1, whole.CY), CZ: column(2, whole.CZ), RadiusSq: column(3, whole.RadiusSq),
					NB: column(4, nil), Discriminants: column(5, nil),
					Words: Slice[uint64](pages[6], atEnd, (n+63)/64),
				}
				r := &Slice[Ray](pages[7], atEnd, 1)[0]
				run := k.Bind(&p)
				// All are candidates, some, none.
				for _, radiusSq := range []float32{inf, 1, -inf} {
					for i := range p.RadiusSq {
						p.RadiusSq[i] = radiusSq
					}
					*r = RandomRay(rng, spheres)
					require.Nil(t, FaultOf(func() { run(r, tMin, math.MaxFloat32) }), "%d spheres", n)
					got := s.candidates(t, &p)
					if want := s.check(t, k, &p, r, 0); !slices.Equal(s.withoutNaN(t, got, &p, r), want) {
						t.Fatalf("%d spheres: got %v\nwant %v", n, got, want)
					}
				}
			}
		})
	}
}

// testRandom compares a kernel with the twin on as many pairs of a ray and a
// sphere as the flag -pairs says, and with the oracle on a few of them.
func (s *Suite) testRandom(t *testing.T, k *Kernel) {
	rng := rand.New(rand.NewPCG(10, 8))
	compared, found := 0, 0
	for compared < Pairs() {
		n := 1 + rng.IntN(maxCount)
		spheres, ray := RandomInput(rng, n)
		p := s.Columns(spheres)
		for i := range 32 {
			r := ray()
			if i == 0 {
				s.check(t, k, &p, &r, 4*rng.IntN(16))
			}
			got, _ := s.checkTwin(t, k, &p, &r, 4*rng.IntN(16))
			found += len(got)
			compared += n
		}
	}
	t.Logf("compared %d pairs of a ray and a sphere; %d are candidates", compared, found)
	assert.Greater(t, found, compared/100, "candidates that were compared")
}
