package step11

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
	"raysteps/common/scene"
)

// implementation is one way to do the first pass.
type implementation struct {
	name    string
	run     func(p *firstPass, r *Ray)
	missing string // why it cannot run here; empty if it can
}

var implementations = []implementation{{name: "generic", run: (*firstPass).runGeneric}, assembly}

// forEach runs a test of each implementation.
func forEach(t *testing.T, test func(t *testing.T, impl implementation)) {
	for _, impl := range implementations {
		t.Run(impl.name, func(t *testing.T) {
			if impl.missing != "" {
				t.Skip("not tested: " + impl.missing)
			}
			test(t, impl)
		})
	}
}

// lanes is the number of spheres that columns are padded to a multiple of.
const lanes = 4

// counts is the number of spheres up to which every number is tested.
const counts = 200

// The values that floating-point code goes wrong at, and some ordinary ones.
var specialValues = func() []float32 {
	x := []float32{
		0, math.SmallestNonzeroFloat32, 1e-42, 1.1754942e-38, 1.1754944e-38, 1e-20,
		0.1, 1, math.Nextafter32(1, 0), 3, 5000, 1e9, 1e18, 1.8446743e19, 1e20, math.MaxFloat32,
		float32(math.Inf(1)), float32(math.NaN()), math.Float32frombits(0x7F800001),
	}
	for _, v := range x {
		x = append(x, -v)
	}
	return x
}()

var (
	inf       = float32(math.Inf(1))
	nan       = float32(math.NaN())
	minusZero = float32(math.Copysign(0, -1))
	denormal  = float32(math.SmallestNonzeroFloat32)
)

// sphereAt returns a sphere of a squared radius; the rest does not matter to the
// first pass.
func sphereAt(x, y, z, radiusSq float32) Sphere {
	return Sphere{Center: Vec3{x, y, z}, RadiusSq: radiusSq}
}

// passOf returns the first pass over spheres in the container.
func passOf(spheres []Sphere) *firstPass {
	s := NewSphereSoA(len(spheres))
	for _, sphere := range spheres {
		s.Append(sphere)
	}
	return newFirstPass(s)
}

func randomVec(rng *rand.Rand, size float32) Vec3 {
	axis := func() float32 { return (2*rng.Float32() - 1) * size }
	return Vec3{axis(), axis(), axis()}
}

func randomSpheres(rng *rand.Rand, n int) []Sphere {
	spheres := make([]Sphere, n)
	for i := range spheres {
		radius := 0.1 + 2*rng.Float32()
		spheres[i] = Sphere{Center: randomVec(rng, 10), RadiusSq: float32(radius * radius)}
	}
	return spheres
}

// randomRay starts outside the spheres or in one of them, and goes anywhere,
// to the center of one, or past one about as closely as float32 can say.
func randomRay(rng *rand.Rand, spheres []Sphere) *Ray {
	origin := randomVec(rng, 15)
	direction := randomVec(rng, 1)
	if len(spheres) > 0 {
		s := &spheres[rng.IntN(len(spheres))]
		if rng.IntN(4) == 0 {
			origin = s.Center.Add(randomVec(rng, 0.05))
		}
		s = &spheres[rng.IntN(len(spheres))]
		switch rng.IntN(4) {
		case 0:
			direction = s.Center.Sub(origin)
		case 1:
			across := direction.Cross(s.Center.Sub(origin)).Unit()
			direction = s.Center.Add(across.Scale(sqrt(s.RadiusSq))).Sub(origin)
		}
	}
	r := NewRay(origin, direction)
	return &r
}

// guarded is a slice between guard words.
type guarded[T comparable] struct {
	all, elements []T
	guard         T
}

// guards is the number of guard words on either side of a slice, at least a
// cache line of them.
const guards = 16

// newGuarded returns n elements that start so many bytes after a multiple of
// 64, rounded down to whole elements. The elements are guard words too, until
// they are written to.
func newGuarded[T uint64 | float32](n, offset int) guarded[T] {
	var g guarded[T]
	start := offset/int(unsafe.Sizeof(g.guard)) + guards
	g.all = mem.Aligned[T](start+n+guards, mem.CacheLine)
	g.guard--
	for i := range g.all {
		g.all[i] = g.guard
	}
	g.elements = g.all[start : start+n : start+n]
	return g
}

func (g *guarded[T]) check(t testing.TB, name string) {
	t.Helper()
	start := len(g.all) - len(g.elements) - guards
	for i, v := range g.all {
		if outside := i < start || i >= len(g.all)-guards; outside && v != g.guard {
			t.Fatalf("wrote %v to %s[%d]; it has %d elements", v, name, i-start, len(g.elements))
		}
	}
}

// candidate is what a first pass tells of a sphere: the index, and the bits of
// the numbers.
type candidate struct {
	index, b, discriminant uint32
}

func (c candidate) String() string {
	return fmt.Sprintf("%d: nb %g (%#x), discriminant %g (%#x)", c.index,
		math.Float32frombits(c.b), c.b, math.Float32frombits(c.discriminant), c.discriminant)
}

// runGuarded runs an implementation on the columns of p. What it writes lies between
// guard words, so many bytes after a multiple of 64.
func runGuarded(t testing.TB, impl implementation, p *firstPass, r *Ray, offset int) []candidate {
	t.Helper()
	n := len(p.cx)
	candidates := newGuarded[uint64]((n+63)/64, offset)
	b := newGuarded[float32](n, offset)
	discriminants := newGuarded[float32](n, offset)
	q := *p
	q.candidates, q.nb, q.discriminants = candidates.elements, b.elements, discriminants.elements

	impl.run(&q, r)

	candidates.check(t, "candidates")
	b.check(t, "b")
	discriminants.check(t, "discriminants")
	list := make([]candidate, 0, n)
	for i := range uint32(64 * len(candidates.elements)) {
		if candidates.elements[i/64]>>(i%64)&1 == 0 {
			continue
		}
		if int(i) >= n {
			t.Fatalf("candidate %d of %d spheres", i, n)
		}
		list = append(list, candidate{i, unsignedZero(b.elements[i]), math.Float32bits(discriminants.elements[i])})
	}
	return list
}

// unsignedZero returns the bits of nb, where the sign of a zero does not count:
// it depends on the order of a subtraction, and leads to the same hit.
func unsignedZero(nb float32) uint32 {
	if nb == 0 {
		return 0
	}
	return math.Float32bits(nb)
}

// exact returns nb and the discriminant of a sphere as the step defines them.
// Every operation is done in float64 and rounded to float32, which gives what
// float32 arithmetic gives, and leaves nothing to fuse.
func exact(p *firstPass, r *Ray, i int) (nb, discriminant float32) {
	mul := func(x, y float32) float32 { return float32(float64(x) * float64(y)) }
	add := func(x, y float32) float32 { return float32(float64(x) + float64(y)) }
	sub := func(x, y float32) float32 { return float32(float64(x) - float64(y)) }
	x := sub(p.cx[i], r.Origin.X)
	y := sub(p.cy[i], r.Origin.Y)
	z := sub(p.cz[i], r.Origin.Z)
	nb = add(add(mul(x, r.Direction.X), mul(y, r.Direction.Y)), mul(z, r.Direction.Z))
	c := sub(add(add(mul(x, x), mul(y, y)), mul(z, z)), p.radiusSq[i])
	return nb, sub(mul(nb, nb), c)
}

// exactly is the first pass over all spheres by [exact], without those whose
// discriminant is NaN.
func exactly(p *firstPass, r *Ray) []candidate {
	var list []candidate
	for i := range p.cx {
		b, discriminant := exact(p, r, i)
		if discriminant == discriminant && !math.Signbit(float64(discriminant)) {
			list = append(list, candidate{uint32(i), unsignedZero(b), math.Float32bits(discriminant)})
		}
	}
	return list
}

// withoutNaN removes the candidates whose discriminant is NaN: an
// implementation may have them or not.
func withoutNaN(t testing.TB, list []candidate, p *firstPass, r *Ray) []candidate {
	t.Helper()
	return slices.DeleteFunc(list, func(c candidate) bool {
		_, discriminant := exact(p, r, int(c.index))
		if discriminant == discriminant {
			return false
		}
		if got := math.Float32frombits(c.discriminant); got == got {
			t.Errorf("discriminant %d is %g; want NaN", c.index, got)
		}
		return true
	})
}

// checkTwin runs an implementation and the one in plain Go, and compares all
// that means something.
func checkTwin(t testing.TB, impl implementation, p *firstPass, r *Ray, offset int) {
	t.Helper()
	got := runGuarded(t, impl, p, r, offset)
	want := runGuarded(t, implementations[0], p, r, 0)
	if slices.Equal(got, want) {
		return
	}
	got, want = withoutNaN(t, got, p, r), withoutNaN(t, want, p, r)
	if !slices.Equal(got, want) {
		t.Fatalf("%d spheres, %+v\n got %v\nwant %v", len(p.cx), *r, got, want)
	}
}

// The implementations agree with each other, and with arithmetic that rounds
// after every operation, for every number of spheres.
func TestFirstPassCounts(t *testing.T) {
	forEach(t, func(t *testing.T, impl implementation) {
		rng := rand.New(rand.NewPCG(10, 1))
		found := 0
		for n := range counts + 1 {
			spheres := randomSpheres(rng, n)
			p := passOf(spheres)
			for range 16 {
				r := randomRay(rng, spheres)
				checkTwin(t, impl, p, r, 0)
				want := exactly(p, r)
				if got := runGuarded(t, impl, p, r, 0); !slices.Equal(got, want) {
					t.Fatalf("%d spheres, %+v\n got %v\nwant %v", n, *r, got, want)
				}
				found += len(want)
			}
		}
		assert.Greater(t, found, counts*16, "candidates that were compared")
	})
}

// The columns of the container are what the assembly takes for granted.
func TestFirstPassColumns(t *testing.T) {
	for n := range counts + 1 {
		p := passOf(make([]Sphere, n))
		padded := (n + lanes - 1) / lanes * lanes
		for name, column := range map[string][]float32{"cx": p.cx, "cy": p.cy, "cz": p.cz, "radiusSq": p.radiusSq} {
			require.Len(t, column, padded, name)
			if n > 0 {
				require.Zero(t, uintptr(unsafe.Pointer(&column[0]))%mem.CacheLine, "%s of %d spheres starts off a cache line", name, n)
			}
		}
		require.Len(t, p.candidates, (padded+63)/64)
		require.Len(t, p.nb, padded)
		require.Len(t, p.discriminants, padded)
	}
}

// Columns start at multiples of 64 bytes, and all that is written starts
// anywhere.
func TestFirstPassAlignment(t *testing.T) {
	forEach(t, func(t *testing.T, impl implementation) {
		rng := rand.New(rand.NewPCG(10, 2))
		for n := lanes; n <= 10*lanes; n += lanes {
			spheres := randomSpheres(rng, n)
			r := randomRay(rng, spheres)
			size := (n + 15) / 16 * 16 // a column, up to where the next can start
			for shift := 0; shift < 512; shift += 64 {
				block := mem.Aligned[float32](shift/4+4*size, mem.CacheLine)[shift/4:]
				p := &firstPass{cx: block[:n], cy: block[size:][:n], cz: block[2*size:][:n], radiusSq: block[3*size:][:n]}
				for i, s := range spheres {
					p.cx[i], p.cy[i], p.cz[i], p.radiusSq[i] = s.Center.X, s.Center.Y, s.Center.Z, s.RadiusSq
				}
				before := slices.Clone(block)
				for offset := 0; offset < 64; offset += 4 {
					checkTwin(t, impl, p, r, offset)
				}
				require.Equal(t, before, block, "the columns have changed")
			}
		}
	})
}

// Every set of candidates of eight spheres, with the ones around them all
// candidates or none.
func TestFirstPassMasks(t *testing.T) {
	forEach(t, func(t *testing.T, impl implementation) {
		r := &Ray{Vec3{0, 0, -5}, Vec3{0, 0, 1}}
		for _, around := range []bool{false, true} {
			for mask := range 256 {
				var spheres []Sphere
				var want []uint32
				for i := range 24 {
					hit := around
					if i >= 8 && i < 16 {
						hit = mask>>(i-8)&1 == 1
					}
					if hit {
						spheres = append(spheres, sphereAt(0, 0, float32(i), 1))
						want = append(want, uint32(i))
					} else {
						spheres = append(spheres, sphereAt(2, 0, float32(i), 1))
					}
				}
				p := passOf(spheres)
				var got []uint32
				for _, c := range runGuarded(t, impl, p, r, 0) {
					got = append(got, c.index)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("mask %08b, all around it %v: candidates %v; want %v", mask, around, got, want)
				}
				checkTwin(t, impl, p, r, 0)
			}
		}
	})
}

// The padding is never a candidate, though it is next to spheres that all are.
// The rays are as large as those of the largest scene that can be read, and
// larger: up to where squares exceed float32, and with them the discriminant.
func TestFirstPassPadding(t *testing.T) {
	forEach(t, func(t *testing.T, impl implementation) {
		rng := rand.New(rand.NewPCG(10, 3))
		for n := range counts + 1 {
			p := passOf(slices.Repeat([]Sphere{sphereAt(0, 0, 0, inf)}, n))
			for _, size := range []float32{0, 1e-30, 1, 10, 1e9, 1e18} {
				r := NewRay(randomVec(rng, size), randomVec(rng, 1))
				got := runGuarded(t, impl, p, &r, 0)
				if len(got) != n {
					t.Fatalf("%d spheres, %+v: %d candidates; want %d", n, r, len(got), n)
				}
				for i, c := range got {
					if c.index != uint32(i) {
						t.Fatalf("%d spheres: candidate %d is sphere %d", n, i, c.index)
					}
				}
			}
		}
	})
}

func TestFirstPassSpecialValues(t *testing.T) {
	ahead := Ray{Vec3{0, 0, -5}, Vec3{0, 0, 1}}
	below1 := math.Nextafter32(1, 0)
	tests := []struct {
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
		{"tangent, b is 0", Ray{Vec3{0, 1, 0}, Vec3{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, below1)}, []uint32{0}},
		{"tangent, b is -0", Ray{Vec3{0, 1, 0}, Vec3{minusZero, minusZero, minusZero}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, below1)}, []uint32{0}},
		{"smallest discriminants", Ray{Vec3{}, Vec3{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, denormal), sphereAt(0, 0, 0, -denormal), sphereAt(0, 0, 0, minusZero)}, []uint32{0, 2}},

		{"zeros of both signs", Ray{Vec3{0, minusZero, 0}, Vec3{minusZero, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(minusZero, minusZero, minusZero, 1)}, []uint32{0, 1}},
		{"direction is 0", Ray{Vec3{}, Vec3{}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 2, 1)}, []uint32{0}},
		{"denormals", Ray{Vec3{denormal, denormal, denormal}, Vec3{0, 0, 1}}, []Sphere{sphereAt(denormal, 0, 0, denormal), sphereAt(-denormal, 1e-42, 0, -1e-42)}, []uint32{0}},
		{"direction is denormal", Ray{Vec3{3, 0, 0}, Vec3{denormal, -denormal, 0}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, 9)}, []uint32{1}},
		{"huge", Ray{Vec3{0, 0, -1e9}, Vec3{0, 0, 1}}, []Sphere{sphereAt(0, 0, 1e9, 1), sphereAt(1e9, 0, 0, 1), sphereAt(0, 0, 1e18, 1), sphereAt(1e12, 0, 0, 1e30)}, []uint32{0, 2, 3}},
		{"b overflows", Ray{Vec3{1, 1, 1}, Vec3{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(5, 5, 5, 1)}, []uint32{0, 1}},
		{"b*b overflows", Ray{Vec3{0, 0, 1}, Vec3{0, 0, 1e20}}, []Sphere{sphereAt(0, 0, 0, 1)}, []uint32{0}},
		{"c overflows", Ray{Vec3{0, 0, 0}, Vec3{0, 0, 1}}, []Sphere{sphereAt(1e20, 0, 0, 1), sphereAt(0, 0, 0, 1)}, []uint32{1}},
		{"both overflow", ahead, []Sphere{sphereAt(0, 0, 1e20, 1), sphereAt(0, 0, 0, 1)}, []uint32{1}},

		{"squared radius is infinite", ahead, []Sphere{sphereAt(9, 9, 9, inf), sphereAt(0, 0, 0, -inf), sphereAt(0, 0, 0, 1)}, []uint32{0, 2}},
		{"center is infinite", ahead, []Sphere{sphereAt(inf, 0, 0, 1), sphereAt(0, -inf, 0, 1), sphereAt(0, 0, inf, 1), sphereAt(0, 0, 0, 1)}, []uint32{3}},
		{"origin is infinite", Ray{Vec3{inf, 0, 0}, Vec3{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(inf, 0, 0, 1)}, nil},
		{"direction is infinite", Ray{Vec3{1, 1, 1}, Vec3{-inf, -inf, -inf}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(1, 0, 0, 1)}, []uint32{0}},
		{"column is NaN", ahead, []Sphere{sphereAt(nan, 0, 0, 1), sphereAt(0, nan, 0, 1), sphereAt(0, 0, nan, 1), sphereAt(0, 0, 0, nan), sphereAt(0, 0, 0, 1),
			sphereAt(-nan, 0, 0, 1), sphereAt(0, -nan, 0, 1), sphereAt(0, 0, -nan, 1), sphereAt(0, 0, 0, -nan), sphereAt(0, 0, 0, 1)}, []uint32{4, 9}},
		{"origin is NaN", Ray{Vec3{nan, 0, 0}, Vec3{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, inf)}, nil},
		{"direction is NaN", Ray{Vec3{}, Vec3{0, 0, -nan}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, inf)}, nil},
	}
	forEach(t, func(t *testing.T, impl implementation) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				// Spheres that are missed come first, so that those of the case
				// are at every place of a group.
				for before := range 8 {
					missed := slices.Repeat([]Sphere{sphereAt(1000, 0, 0, 1)}, before)
					p := passOf(append(missed, tt.spheres...))
					r := tt.ray
					var got, want []uint32
					for _, c := range withoutNaN(t, runGuarded(t, impl, p, &r, 0), p, &r) {
						if int(c.index) >= before {
							got = append(got, c.index)
						}
					}
					for _, i := range tt.want {
						want = append(want, uint32(before)+i)
					}
					require.Equal(t, want, got, "candidates after %d other spheres", before)
					require.Equal(t, rayBits(tt.ray), rayBits(r), "the ray has changed")
					checkTwin(t, impl, p, &r, 0)
				}
			})
		}
		t.Run("all together", func(t *testing.T) {
			rng := rand.New(rand.NewPCG(10, 4))
			special := func() float32 { return specialValues[rng.IntN(len(specialValues))] }
			compared := 0
			for range 3000 {
				spheres := make([]Sphere, 24)
				for i := range spheres {
					spheres[i] = sphereAt(special(), special(), special(), special())
				}
				// Few of the numbers of a ray are special, or all would be NaN.
				r := randomRay(rng, nil)
				for _, x := range []*float32{&r.Origin.X, &r.Origin.Y, &r.Origin.Z, &r.Direction.X, &r.Direction.Y, &r.Direction.Z} {
					if rng.IntN(3) == 0 {
						*x = special()
					}
				}
				p := passOf(spheres)
				checkTwin(t, impl, p, r, 0)
				want := exactly(p, r)
				got := withoutNaN(t, runGuarded(t, impl, p, r, 0), p, r)
				if !slices.Equal(got, want) {
					t.Fatalf("%v, %+v\n got %v\nwant %v", spheres, *r, got, want)
				}
				compared += len(want)
			}
			assert.Greater(t, compared, 3000, "candidates that were compared")
		})
	})
}

// rayBits returns the numbers of a ray so that NaN is equal to itself.
func rayBits(r Ray) [6]uint32 { return *(*[6]uint32)(unsafe.Pointer(&r)) }

// solidSphere returns a whole sphere.
func solidSphere(x, y, z, radius float32) Sphere {
	return Sphere{Center: Vec3{x, y, z}, RadiusSq: float32(radius * radius), InvRadius: 1 / radius}
}

// worldOf gives every sphere a material of its own, whose color is the index.
func worldOf(spheres []Sphere) (*World, *firstPass) {
	w := new(World)
	for i, s := range spheres {
		s.Material = newMaterial(&scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{float32(i), 0, 0}})
		w.Spheres.Append(s)
	}
	return w, newFirstPass(&w.Spheres)
}

// hitIndex returns the hit of a ray in a world made by worldOf, and the index of
// the sphere, -1 if there is none.
func hitIndex(t *testing.T, w *World, r *Ray, pass *firstPass) (HitRecord, int) {
	rec, ok := w.Hit(r, tMin, math.MaxFloat32, pass)
	if !ok {
		return rec, -1
	}
	materials := w.Spheres.Material()
	for i := range materials {
		if rec.Material == &materials[i] {
			return rec, i
		}
	}
	t.Fatal("the material of a hit is that of no sphere")
	return rec, -1
}

func TestHitSpecialValues(t *testing.T) {
	ahead := Ray{Vec3{0, 0, -5}, Vec3{0, 0, 1}}
	far := solidSphere(0, 0, 40, 1)
	tests := []struct {
		name    string
		ray     Ray
		spheres []Sphere
		want    int // index, or -1
		t, nz   float32
	}{
		{"no sphere", ahead, nil, -1, 0, 0},
		{"behind", ahead, []Sphere{solidSphere(0, 0, -20, 1)}, -1, 0, 0},
		{"from within", ahead, []Sphere{far, solidSphere(0, 0, -5, 2)}, 1, 2, 1},
		{"from the surface, outward", ahead, []Sphere{far, solidSphere(0, 0, -6, 1)}, 0, 44, -1},
		{"from the surface, inward", ahead, []Sphere{far, solidSphere(0, 0, -4, 1)}, 1, 2, 1},
		{"tangent", ahead, []Sphere{far, solidSphere(1, 0, 0, 1)}, 1, 5, 0},
		{"negative radius", ahead, []Sphere{far, solidSphere(0, 0, 0, -0.5)}, 1, 4.5, 1},
		{"NaN and infinity are no hits", ahead, []Sphere{
			solidSphere(nan, 0, 0, 1), solidSphere(0, 0, -nan, 1), solidSphere(0, 0, 0, nan), solidSphere(0, 0, 0, -nan), solidSphere(0, 0, 0, inf),
			far, solidSphere(nan, 0, 0, 1), solidSphere(0, 0, inf, 1), solidSphere(0, -inf, 0, 1), solidSphere(0, 0, 0, -inf),
		}, 5, 44, -1},
		{"origin is NaN", Ray{Vec3{nan, 0, 0}, Vec3{0, 0, 1}}, []Sphere{far}, -1, 0, 0},
		{"direction is NaN", Ray{Vec3{}, Vec3{nan, nan, nan}}, []Sphere{far}, -1, 0, 0},
		{"origin is infinite", Ray{Vec3{0, 0, -inf}, Vec3{0, 0, 1}}, []Sphere{far}, -1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, pass := worldOf(tt.spheres)
			rec, got := hitIndex(t, w, &tt.ray, pass)
			require.Equal(t, tt.want, got)
			if tt.want >= 0 {
				assert.Equal(t, tt.ray.At(tt.t), rec.P)
				assert.Equal(t, tt.nz, rec.N.Z)
			}
		})
	}
}

// Of equal spheres the first one counts, wherever they are.
func TestHitTies(t *testing.T) {
	r := Ray{Vec3{0, 0, -5}, Vec3{0, 0, 1}}
	for last := range 20 {
		for first := range last {
			var spheres []Sphere
			for i := range 20 {
				if i == first || i == last {
					spheres = append(spheres, solidSphere(0, 0, 0, 1))
				} else {
					spheres = append(spheres, solidSphere(0, 0, float32(3+i), 1))
				}
			}
			w, pass := worldOf(spheres)
			_, got := hitIndex(t, w, &r, pass)
			require.Equal(t, first, got, "spheres %d and %d are equal", first, last)
		}
	}
}

// Hit finds what a search in float64 finds, unless that depends on the
// rounding.
func TestHitFindsTheClosest(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 5))
	hits, misses, certain := 0, 0, 0
	for range 300 {
		spheres := make([]Sphere, rng.IntN(100))
		for i := range spheres {
			c := randomVec(rng, 10)
			radius := 0.1 + 2*rng.Float32()
			switch {
			case i > 0 && rng.IntN(8) == 0: // a shell in another sphere
				outer := spheres[i-1]
				c, radius = outer.Center, -0.9*sqrt(outer.RadiusSq)
			case rng.IntN(50) == 0:
				c, radius = Vec3{c.X, -1000, c.Z}, 990
			}
			spheres[i] = solidSphere(c.X, c.Y, c.Z, radius)
		}
		w, pass := worldOf(spheres)
		for range 50 {
			r := randomRay(rng, spheres)
			rec, got := hitIndex(t, w, r, pass)
			along := rec.P.Sub(r.Origin).Dot(r.Direction)

			sure := sphereHit{math.Inf(1), 0}
			closest, doubt := -1, false
			for i := range spheres {
				first, doubtful := searchHits(&spheres[i], r)
				doubt = doubt || len(doubtful) > 0
				if first != nil && first.t+first.tolerance < sure.t+sure.tolerance {
					closest, sure = i, *first
				}
				if i != got {
					continue
				}
				if first != nil {
					doubtful = append(doubtful, *first)
				}
				require.True(t, slices.ContainsFunc(doubtful, func(h sphereHit) bool {
					return math.Abs(float64(along)-h.t) <= h.tolerance
				}), "%+v hits sphere %d at %g; want it at one of %v", *r, i, along, doubtful)
			}
			if got < 0 {
				require.Equal(t, -1, closest, "%+v hits nothing; want sphere %d at %v", *r, closest, sure)
				misses++
			} else {
				require.LessOrEqual(t, float64(along), sure.t+sure.tolerance, "%+v hits sphere %d; want sphere %d", *r, got, closest)
				require.InDelta(t, 0, rec.P.Sub(r.At(along)).Length(), 1e-3, "off the ray")
				require.InDelta(t, 1, rec.N.Length(), 0.01)
				hits++
			}
			if !doubt && got == closest {
				certain++
			}
		}
	}
	t.Logf("%d hits and %d misses, %d of them beyond doubt", hits, misses, certain)
	assert.Greater(t, hits, 5000)
	assert.Greater(t, misses, 1000)
	assert.Greater(t, certain, (hits+misses)/2)
}

// sphereHit is a distance along a ray, and by how much float32 may differ.
type sphereHit struct{ t, tolerance float64 }

// searchHits returns in float64 where a ray surely hits a sphere first, nil if
// nowhere, and where float32 may find a hit before that or none at all: on
// the rim, and near tMin.
func searchHits(s *Sphere, r *Ray) (first *sphereHit, doubtful []sphereHit) {
	x := float64(r.Origin.X) - float64(s.Center.X)
	y := float64(r.Origin.Y) - float64(s.Center.Y)
	z := float64(r.Origin.Z) - float64(s.Center.Z)
	b := x*float64(r.Direction.X) + y*float64(r.Direction.Y) + z*float64(r.Direction.Z)
	distanceSq := x*x + y*y + z*z
	discriminant := b*b - distanceSq + float64(s.RadiusSq)
	// Squares of this size are subtracted from each other, each with an error of
	// some 1e-7 of it.
	size := distanceSq + float64(s.RadiusSq)
	if math.Abs(discriminant) < 1e-5*size {
		return nil, []sphereHit{{-b, 0.01 * math.Sqrt(size)}}
	}
	if discriminant < 0 {
		return nil, nil
	}
	root := math.Sqrt(discriminant)
	for _, t := range []float64{-b - root, -b + root} {
		h := sphereHit{t, 2e-4 * math.Sqrt(size)}
		switch {
		case math.Abs(t-tMin) <= h.tolerance:
			doubtful = append(doubtful, h)
		case t > tMin:
			return &h, doubtful
		}
	}
	return nil, doubtful
}

// The first 24 bytes are a ray, and every 16 after them a sphere: any bits.
func FuzzFirstPass(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		number := func() float32 {
			if len(data) < 4 {
				return 0
			}
			x := math.Float32frombits(binary.LittleEndian.Uint32(data))
			data = data[4:]
			return x
		}
		offset := len(data) % 16 * 4
		r := Ray{Vec3{number(), number(), number()}, Vec3{number(), number(), number()}}
		var spheres []Sphere
		for len(data) > 0 && len(spheres) < counts {
			spheres = append(spheres, sphereAt(number(), number(), number(), number()))
		}
		p := passOf(spheres)
		for _, impl := range implementations {
			if impl.missing == "" {
				checkTwin(t, impl, p, &r, offset)
			}
		}
		want := exactly(p, &r)
		if got := withoutNaN(t, runGuarded(t, implementations[0], p, &r, offset), p, &r); !slices.Equal(got, want) {
			t.Fatalf("%d spheres, %+v\n got %v\nwant %v", len(spheres), r, got, want)
		}
	})
}

// BenchmarkKernel times the first pass alone; an operation is a ray.
func BenchmarkKernel(b *testing.B) {
	// The operations that a sphere takes: 3 subtractions for co, 5 for nb, 5 for
	// its squared length, 1 to subtract the squared radius, 2 for the
	// discriminant.
	const flops = 3 + 5 + 5 + 1 + 2
	for _, impl := range implementations {
		if impl.missing != "" {
			continue
		}
		for _, n := range []int{8, 48, 484, 4096} {
			b.Run(fmt.Sprintf("kernel=%s/n=%d", impl.name, n), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(10, 6))
				// A wall of spheres, of such a size that a ray has some 1.3
				// candidates on average, as in the medium and the large scene.
				radiusSq := float32(1.4 * 4 / math.Pi / float64(n))
				spheres := make([]Sphere, n)
				for i := range spheres {
					at := randomVec(rng, 1)
					spheres[i] = sphereAt(at.X, at.Y, 10+at.Z, radiusSq)
				}
				// So many rays that the processor cannot learn their candidates
				// by heart.
				var rays [4096]Ray
				for i := range rays {
					at := randomVec(rng, 1)
					rays[i] = NewRay(Vec3{}, Vec3{at.X, at.Y, 10})
				}
				p := passOf(spheres)
				i := uint(0)
				for b.Loop() {
					impl.run(p, &rays[i%uint(len(rays))])
					i++
				}
				seconds := b.Elapsed().Seconds()
				candidates := 0
				for i := range rays {
					impl.run(p, &rays[i])
					for _, word := range p.candidates {
						candidates += bits.OnesCount64(word)
					}
				}
				b.ReportMetric(float64(candidates)/float64(len(rays)), "candidates/op")
				b.ReportMetric(seconds*1e9/float64(b.N*n), "ns/sphere")
				b.ReportMetric(flops*float64(n)*float64(b.N)/seconds, "flop/s")
			})
		}
	}
}
