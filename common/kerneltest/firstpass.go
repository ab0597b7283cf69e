package kerneltest

import (
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
		for _, column := range [][]float32{p.CX, p.CY, p.CZ, p.RadiusSq} {
			require.Len(t, column, padded)
			require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(column)))%mem.CacheLine, "a column of %d spheres starts off a cache line", n)
		}
		require.Len(t, p.Words, (padded+63)/64)
		require.Len(t, p.NB, padded)
		require.Len(t, p.Discriminants, padded)
	}
}

func (s *Suite) unpadded(spheres []Sphere) Pass {
	p, n := s.Columns(spheres), len(spheres)
	p.CX, p.CY, p.CZ, p.RadiusSq = p.CX[:n], p.CY[:n], p.CZ[:n], p.RadiusSq[:n]
	return p
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
			r := Ray{randomVec(rng, size), randomVec(rng, 1).unit()}
			got := s.check(t, k, &p, &r, place{})
			if len(got) != n || n > 0 && got[n-1].index != uint32(n-1) {
				t.Fatalf("%d spheres, %v: candidates %v; want all spheres and no padding", n, r, got)
			}
		}
	}
}

// testSpecialValues takes the cases. Special values without geometry are among the
// inputs of testRandom.
func (s *Suite) testSpecialValues(t *testing.T, k *Kernel) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			// Spheres that are missed come first, so that those of the case are at
			// every place of a group.
			for before := range max(8, s.Padding) {
				missed := slices.Repeat([]Sphere{sphereAt(0, 0, 0, -inf)}, before)
				p := s.Columns(append(missed, tt.spheres...))
				hit := s.oracle(&p, &tt.ray).hits[0].index
				require.Equal(t, tt.hit, max(-1, hit-before), "the sphere that is hit, after %d others", before)
				var got []uint32
				for _, c := range s.check(t, k, &p, &tt.ray, place{}) {
					if int(c.index) >= before {
						got = append(got, c.index-uint32(before))
					}
				}
				require.Equal(t, tt.candidates, got, "candidates after %d other spheres", before)
			}
		})
	}
}

// testPages holds a kernel to reading and writing nothing outside the padded
// columns, the ray and what the pass writes: each has pages of its own, and lies
// at their very end or start.
func (s *Suite) testPages(t *testing.T, k *Kernel) {
	at := place{pages: make([][]byte, 8)}
	for i := range at.pages {
		at.pages[i] = NewPages(t, maxCount*8)
	}
	rng := rand.New(rand.NewPCG(10, 7))
	for n := 0; n <= maxCount; n += k.Lanes {
		spheres := RandomSpheres(rng, n)
		p := s.unpadded(spheres)
		// All are candidates, some, none.
		for _, radiusSq := range []float32{inf, 1, -inf} {
			for i := range p.RadiusSq {
				p.RadiusSq[i] = radiusSq
			}
			r := RandomRay(rng, spheres)
			for _, at.atEnd = range []bool{false, true} {
				s.check(t, k, &p, &r, at)
			}
		}
	}
}

// testRandom compares a kernel with the oracle for every number of spheres, and again until
// it has compared as many pairs of a ray and a sphere as the flag -pairs says. Columns start
// wherever the kernel allows, and end where it does, and all that is written starts anywhere.
func (s *Suite) testRandom(t *testing.T, k *Kernel) {
	rng := rand.New(rand.NewPCG(10, 8))
	compared, found := 0, 0
	for i := 0; i <= maxCount || compared < Pairs(); i++ {
		n := i % (maxCount + 1)
		spheres, ray := RandomInput(rng, n)
		p := s.Columns(spheres)
		if n%k.Lanes == 0 {
			p = s.unpadded(spheres)
		}
		for range 8 {
			r, at := ray(), place{read: k.Align * rng.IntN(64/k.Align), written: 4 * rng.IntN(16)}
			found += len(s.check(t, k, &p, &r, at))
			compared += n
		}
	}
	t.Logf("compared %d pairs of a ray and a sphere; %d are candidates", compared, found)
	assert.Greater(t, found, compared/100, "candidates that were compared")
}
