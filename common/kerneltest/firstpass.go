package kerneltest

import (
	"fmt"
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
			for _, test := range []struct {
				name string
				run  func(*testing.T, *Kernel)
			}{
				{"counts", s.testCounts},
				{"alignment", s.testAlignment},
				{"masks", s.testMasks},
				{"padding", s.testPadding},
				{"special values", s.testSpecialValues},
				{"pages", s.testPages},
				{"random", s.testRandom},
			} {
				t.Run(test.name, func(t *testing.T) { test.run(t, k) })
			}
		})
	}
}

// sphereAt returns a sphere of a squared radius, which may be one that no radius
// has.
func sphereAt(x, y, z, radiusSq float32) Sphere {
	return Sphere{Center: Vec{x, y, z}, RadiusSq: radiusSq}
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

// testMasks takes every set of candidates of eight spheres, at several places of
// a group, with the ones around them all candidates or none.
func (s *Suite) testMasks(t *testing.T, k *Kernel) {
	r := &Ray{Vec{0, 0, -5}, Vec{0, 0, 1}}
	for first := 0; first < 3*max(8, s.Padding); first += 8 {
		for _, around := range []bool{false, true} {
			for mask := range 256 {
				var spheres []Sphere
				var want []uint32
				for i := range 3 * max(8, s.Padding) {
					hit := around
					if i >= first && i < first+8 {
						hit = mask>>(i-first)&1 == 1
					}
					if hit {
						spheres = append(spheres, sphereAt(0, 0, float32(i), 1))
						want = append(want, uint32(i))
					} else {
						spheres = append(spheres, sphereAt(2, 0, float32(i), 1))
					}
				}
				p := s.Columns(spheres)
				var got []uint32
				for _, c := range s.check(t, k, &p, r, 0) {
					got = append(got, c.index)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("mask %08b from sphere %d on, all around it %v: candidates %v; want %v", mask, first, around, got, want)
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

// ahead is a ray along the z axis.
var ahead = Ray{Vec{0, 0, -5}, Vec{0, 0, 1}}

var firstPassCases = []struct {
	name    string
	ray     Ray
	spheres []Sphere
	want    []uint32 // indices, without those whose discriminant is NaN
}{
	{"no sphere", ahead, nil, nil},
	{"ahead, behind and beside", ahead, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, -20, 1), sphereAt(2, 0, 0, 1)}, []uint32{0, 1}},
	{"from within", ahead, []Sphere{sphereAt(0, 0, -5, 1), sphereAt(0.5, 0.5, -5, 1), sphereAt(0, 0, 90, 100*100)}, []uint32{0, 1, 2}},
	{"from the surface", ahead, []Sphere{sphereAt(0, 0, -4, 1), sphereAt(1, 0, -5, 1)}, []uint32{0, 1}},
	{"ties", ahead, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(2, 0, 0, 1), sphereAt(0, 0, 0, 1)}, []uint32{0, 2}},
	{"radius 0", ahead, []Sphere{sphereAt(0, 0, 0, 0), sphereAt(denormal, 0, 0, 0), sphereAt(1, 0, 0, 0)}, []uint32{0, 1}},

	// b*b is never -0, so neither is the discriminant: a tangent gives +0.
	{"tangent", ahead, []Sphere{sphereAt(1, 0, 0, 1), sphereAt(0, -1, 0, 1)}, []uint32{0, 1}},
	{"tangent, b is 0", Ray{Vec{0, 1, 0}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, below1)}, []uint32{0}},
	{"tangent, b is -0", Ray{Vec{0, 1, 0}, Vec{minusZero, minusZero, minusZero}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, below1)}, []uint32{0}},
	{"smallest discriminants", Ray{Vec{}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, denormal), sphereAt(0, 0, 0, -denormal), sphereAt(0, 0, 0, minusZero)}, []uint32{0, 2}},

	{"zeros of both signs", Ray{Vec{0, minusZero, 0}, Vec{minusZero, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(minusZero, minusZero, minusZero, 1)}, []uint32{0, 1}},
	{"direction is 0", Ray{}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 2, 1)}, []uint32{0}},
	{"denormals", Ray{Vec{denormal, denormal, denormal}, Vec{0, 0, 1}}, []Sphere{sphereAt(denormal, 0, 0, denormal), sphereAt(-denormal, 1e-42, 0, -1e-42)}, []uint32{0}},
	{"direction is denormal", Ray{Vec{3, 0, 0}, Vec{denormal, -denormal, 0}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, 9)}, []uint32{1}},
	{"huge", Ray{Vec{0, 0, -1e9}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 1e9, 1), sphereAt(1e9, 0, 0, 1), sphereAt(0, 0, 1e18, 1), sphereAt(1e12, 0, 0, 1e30)}, []uint32{0, 2, 3}},
	{"b overflows", Ray{Vec{1, 1, 1}, Vec{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(5, 5, 5, 1)}, []uint32{0, 1}},
	{"b*b overflows", Ray{Vec{0, 0, 1}, Vec{0, 0, 1e20}}, []Sphere{sphereAt(0, 0, 0, 1)}, []uint32{0}},
	{"c overflows", Ray{Vec{}, Vec{0, 0, 1}}, []Sphere{sphereAt(1e20, 0, 0, 1), sphereAt(0, 0, 0, 1)}, []uint32{1}},
	{"both overflow", ahead, []Sphere{sphereAt(0, 0, 1e20, 1), sphereAt(0, 0, 0, 1)}, []uint32{1}},

	{"squared radius is infinite", ahead, []Sphere{sphereAt(9, 9, 9, inf), sphereAt(0, 0, 0, -inf), sphereAt(0, 0, 0, 1)}, []uint32{0, 2}},
	{"center is infinite", ahead, []Sphere{sphereAt(inf, 0, 0, 1), sphereAt(0, -inf, 0, 1), sphereAt(0, 0, inf, 1), sphereAt(0, 0, 0, 1)}, []uint32{3}},
	{"origin is infinite", Ray{Vec{inf, 0, 0}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(inf, 0, 0, 1)}, nil},
	{"direction is infinite", Ray{Vec{1, 1, 1}, Vec{-inf, -inf, -inf}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(1, 0, 0, 1)}, []uint32{0}},
	{"column is NaN", ahead, []Sphere{sphereAt(nan, 0, 0, 1), sphereAt(0, nan, 0, 1), sphereAt(0, 0, nan, 1), sphereAt(0, 0, 0, nan), sphereAt(0, 0, 0, 1),
		sphereAt(-nan, 0, 0, 1), sphereAt(0, -nan, 0, 1), sphereAt(0, 0, -nan, 1), sphereAt(0, 0, 0, -nan), sphereAt(0, 0, 0, 1)}, []uint32{4, 9}},
	{"origin is NaN", Ray{Vec{nan, 0, 0}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, inf)}, nil},
	{"direction is NaN", Ray{Vec{}, Vec{0, 0, -nan}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, inf)}, nil},
}

var below1 = math.Nextafter32(1, 0)

func (s *Suite) testSpecialValues(t *testing.T, k *Kernel) {
	for _, tt := range firstPassCases {
		t.Run(tt.name, func(t *testing.T) {
			// Spheres that are missed come first, so that those of the case are at
			// every place of a group.
			for before := range max(8, s.Padding) {
				missed := slices.Repeat([]Sphere{sphereAt(1000, 0, 0, 1)}, before)
				p := s.Columns(append(missed, tt.spheres...))
				var got, want []uint32
				for _, c := range s.check(t, k, &p, &tt.ray, 0) {
					if int(c.index) >= before {
						got = append(got, c.index)
					}
				}
				for _, i := range tt.want {
					want = append(want, uint32(before)+i)
				}
				require.Equal(t, want, got, "candidates after %d other spheres", before)
			}
		})
	}
	t.Run("all together", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 4))
		compared := 0
		for range 3000 {
			spheres := make([]Sphere, 3*max(8, s.Padding))
			for i := range spheres {
				spheres[i] = sphereAt(Special(rng), Special(rng), Special(rng), Special(rng))
			}
			r := RandomRay(rng, nil)
			for _, v := range []*Vec{&r.Origin, &r.Direction} {
				for axis := range v {
					// Few of the numbers of a ray are special, or all would be NaN.
					if rng.IntN(3) == 0 {
						v[axis] = Special(rng)
					}
				}
			}
			p := s.Columns(spheres)
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
	for _, place := range []Place{AtStart, AtEnd} {
		t.Run(string(place), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(10, 7))
			for n := 0; n <= maxCount; n += k.Lanes {
				spheres := RandomSpheres(rng, n)
				whole := s.Columns(spheres)
				column := func(i int, from []float32) []float32 {
					to := Slice[float32](pages[i], place, n)
					copy(to, from)
					return to
				}
				p := Pass{
					CX: column(0, whole.CX), CY: column(1, whole.CY), CZ: column(2, whole.CZ), RadiusSq: column(3, whole.RadiusSq),
					NB: column(4, nil), Discriminants: column(5, nil),
					Words: Slice[uint64](pages[6], place, (n+63)/64),
				}
				r := &Slice[Ray](pages[7], place, 1)[0]
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

// Bench times every kernel alone that can run here; an operation is a ray.
func (s *Suite) Bench(b *testing.B) {
	for i := range s.Kernels {
		k := &s.Kernels[i]
		for _, n := range []int{8, 48, 484, 4096} {
			b.Run(fmt.Sprintf("kernel=%s/n=%d", k.Name, n), func(b *testing.B) {
				k.skip(b)
				p, rays := s.wall(n)
				seconds := timeRays(b, k.Bind(&p), rays)
				candidates := 0
				for i := range rays {
					k.Bind(&p)(&rays[i], tMin, math.MaxFloat32)
					candidates += len(s.candidates(b, &p))
				}
				// The operations that a sphere takes in the first pass; those of the
				// few candidates do not count. 3 subtractions for the vector
				// between origin and center, 5 for the coefficient, 5 for the squared
				// length of the vector, 1 to subtract the squared radius, 2 for the
				// discriminant.
				const flops = 3 + 5 + 5 + 1 + 2
				b.ReportMetric(float64(candidates)/float64(len(rays)), "candidates/op")
				b.ReportMetric(seconds*1e9/float64(b.N*n), "ns/sphere")
				b.ReportMetric(flops*float64(n)*float64(b.N)/seconds, "flop/s")
			})
		}
	}
}

// BenchAlignment times every kernel but the twin with the columns of 484 spheres
// off a cache line by so many bytes; an operation is a ray.
func (s *Suite) BenchAlignment(b *testing.B) {
	for i := range s.Kernels[1:] {
		k := &s.Kernels[1+i]
		for _, off := range []int{0, 4, 16, 32, 48} {
			if off%k.Align != 0 {
				continue
			}
			b.Run(fmt.Sprintf("kernel=%s/off=%d", k.Name, off), func(b *testing.B) {
				k.skip(b)
				p, rays := s.wall(484)
				p = shifted(&p, off)
				timeRays(b, k.Bind(&p), rays)
			})
		}
	}
}

// wall returns a wall of spheres of such a size that a ray has some 1.3
// candidates on average, as in the medium and the large scene; and so many rays
// that the processor cannot learn their candidates by heart.
func (s *Suite) wall(n int) (Pass, []Ray) {
	rng := rand.New(rand.NewPCG(10, 6))
	radiusSq := float32(1.4 * 4 / math.Pi / float64(n))
	spheres := make([]Sphere, n)
	for i := range spheres {
		at := RandomVec(rng, 1)
		spheres[i] = sphereAt(at[0], at[1], 10+at[2], radiusSq)
	}
	rays := make([]Ray, 4096)
	for i := range rays {
		at := RandomVec(rng, 1)
		rays[i].Direction = Vec{at[0], at[1], 10}.unit()
	}
	return s.Columns(spheres), rays
}

// timeRays runs a kernel on one ray after the other, and returns how many
// seconds that took.
func timeRays(b *testing.B, run Closest, rays []Ray) float64 {
	for i := uint(0); b.Loop(); i++ {
		run(&rays[i%uint(len(rays))], tMin, math.MaxFloat32)
	}
	return b.Elapsed().Seconds()
}
