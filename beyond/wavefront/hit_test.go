package wavefront

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
	"raysteps/common/scene"
)

// kernel is one way to find the closest spheres.
type kernel struct {
	name    string
	hit     func(s *search, f *front)
	missing string // why it cannot run here; empty if it can
}

func forEachKernel(t *testing.T, test func(t *testing.T, k kernel)) {
	for _, k := range append([]kernel{{name: "plain", hit: hitPlain}}, assembly...) {
		t.Run(k.name, func(t *testing.T) {
			if k.missing != "" {
				t.Skip("not tested: " + k.missing)
			}
			test(t, k)
		})
	}
}

// upTo is the number of spheres up to which every number is tested.
const upTo = 200

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
	inf      = float32(math.Inf(1))
	nan      = float32(math.NaN())
	denormal = float32(math.SmallestNonzeroFloat32)
)

func newFront() *front { return &mem.Aligned[front](1, mem.CacheLine)[0] }

// ball is a sphere by its center and radius. A radius of NaN stands for a
// squared radius of NaN, and so on.
type ball struct {
	center Vec3
	radius float32
}

// spheresOf returns balls as the search reads them; all says whether it is to
// solve the equation of all.
func spheresOf(balls []ball, all bool) *spheres {
	s := &spheres{all: all}
	for _, b := range balls {
		s.cx = append(s.cx, b.center.X)
		s.cy = append(s.cy, b.center.Y)
		s.cz = append(s.cz, b.center.Z)
		s.reach = append(s.reach, reach(b.center, b.radius, 100))
		s.radiusSq = append(s.radiusSq, float32(b.radius*b.radius))
	}
	return s
}

// ray is a ray by itself.
type ray struct{ origin, direction Vec3 }

func (f *front) put(rays ...ray) {
	for _, r := range rays {
		f.ox[f.n], f.oy[f.n], f.oz[f.n] = r.origin.X, r.origin.Y, r.origin.Z
		f.dx[f.n], f.dy[f.n], f.dz[f.n] = r.direction.X, r.direction.Y, r.direction.Z
		f.n++
	}
}

func (f *front) ray(i int) ray {
	return ray{Vec3{f.ox[i], f.oy[i], f.oz[i]}, Vec3{f.dx[i], f.dy[i], f.dz[i]}}
}

func randomVec(rng *rand.Rand, size float32) Vec3 {
	axis := func() float32 { return (2*rng.Float32() - 1) * size }
	return Vec3{axis(), axis(), axis()}
}

func randomBalls(rng *rand.Rand, n int) []ball {
	balls := make([]ball, n)
	for i := range balls {
		balls[i] = ball{randomVec(rng, 10), 0.1 + 2*rng.Float32()}
		switch {
		case i > 0 && rng.IntN(8) == 0: // a shell in another, or the same again
			balls[i] = ball{balls[i-1].center, -0.9 * balls[i-1].radius}
		case i > 0 && rng.IntN(16) == 0:
			balls[i] = balls[rng.IntN(i)]
		case rng.IntN(50) == 0:
			balls[i] = ball{Vec3{0, -1000, 0}, 990}
		}
	}
	return balls
}

// randomRay starts outside the balls, in one, or on one; and goes anywhere, to
// the center of one, past one about as closely as float32 can say, or along an
// axis.
func randomRay(rng *rand.Rand, balls []ball) ray {
	origin, direction := randomVec(rng, 15), randomVec(rng, 1)
	if len(balls) > 0 {
		b := &balls[rng.IntN(len(balls))]
		switch rng.IntN(4) {
		case 0:
			origin = along(1, randomVec(rng, 0.05), b.center)
		case 1:
			origin = along(abs(b.radius), direction.Unit(), b.center)
		}
		b = &balls[rng.IntN(len(balls))]
		switch rng.IntN(5) {
		case 0:
			direction = b.center.Sub(origin)
		case 1:
			across := direction.Cross(b.center.Sub(origin)).Unit()
			direction = along(abs(b.radius), across, b.center).Sub(origin)
		case 2:
			direction = [3]Vec3{{X: 1}, {Y: -1}, {Z: 1}}[rng.IntN(3)]
		}
	}
	return ray{origin, normalize(direction)}
}

// checkKernel runs a kernel and the plain search, and compares what they find
// for all rays of a front. The kernel must write to nothing but what it finds,
// and its scratch columns.
func checkKernel(t testing.TB, k kernel, s *spheres, f *front) {
	t.Helper()
	want := newFront()
	*want = *f
	hitPlain(newSearch(s), want)

	search := newSearch(s)
	const guards = 16
	list := mem.Aligned[candidate](len(search.candidates)+2*guards, mem.CacheLine)
	guard := candidate{0xDEADBEEF, 0xDEADBEEF}
	for i := range list {
		list[i] = guard
	}
	copy(list[guards:], search.candidates)
	search.candidates = list[guards : guards+len(search.candidates)]
	before := *search
	got := newFront()
	*got = *f
	whole := min((f.n+group-1)/group*group, capacity)
	for i := range got.t {
		got.t[i], got.hit[i] = -7, 0xDEADBEEF
	}
	k.hit(search, got)

	for i := range f.n {
		if math.Float32bits(got.t[i]) != math.Float32bits(want.t[i]) || got.hit[i] != want.hit[i] {
			t.Fatalf("%d spheres, ray %d of %d, %+v: sphere %d at %v; want sphere %d at %v",
				len(s.cx), i, f.n, f.ray(i), got.hit[i], got.t[i], want.hit[i], want.t[i])
		}
	}
	for i := whole; i < len(got.t); i++ {
		if got.t[i] != -7 || got.hit[i] != 0xDEADBEEF {
			t.Fatalf("wrote to ray %d of %d", i, f.n)
		}
	}
	for i := range guards {
		if list[i] != guard || list[len(list)-1-i] != guard {
			t.Fatalf("%d spheres: wrote to candidates out of range", len(s.cx))
		}
	}
	got.t, got.hit, got.vx, got.vy, got.vz, got.qv = f.t, f.hit, f.vx, f.vy, f.vz, f.qv
	if !sameBits(got, f) {
		t.Fatalf("%d spheres, %d rays: the front has changed", len(s.cx), f.n)
	}
	search.bytes = before.bytes
	require.Equal(t, before.spheres.all, search.spheres.all)
	require.Equal(t, before.stride, search.stride)
}

// sameBits compares fronts so that NaN is equal to itself.
func sameBits(a, b *front) bool {
	const n = unsafe.Sizeof(*a) / 4
	return slices.Equal((*[n]uint32)(unsafe.Pointer(a))[:], (*[n]uint32)(unsafe.Pointer(b))[:])
}

// The kernels agree for every number of spheres, and of rays that is no
// multiple of a group.
func TestHitCounts(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k kernel) {
		rng := rand.New(rand.NewPCG(14, 1))
		hits := 0
		for n := range upTo + 1 {
			balls := randomBalls(rng, n)
			f := newFront()
			for range 1 + rng.IntN(3*searchGroups*group) {
				f.put(randomRay(rng, balls))
			}
			for _, all := range []bool{false, true} {
				checkKernel(t, k, spheresOf(balls, all), f)
			}
			s := spheresOf(balls, false)
			k.hit(newSearch(s), f)
			for i := range f.n {
				if f.hit[i] != 0 {
					hits++
				}
			}
		}
		assert.Greater(t, hits, upTo*50, "hits that were compared")
	})
}

// Every number of rays, and a full front.
func TestHitRays(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k kernel) {
		rng := rand.New(rand.NewPCG(14, 2))
		balls := randomBalls(rng, 20)
		f := newFront()
		for n := range 3 * group {
			f.n = 0
			for range n {
				f.put(randomRay(rng, balls))
			}
			checkKernel(t, k, spheresOf(balls, false), f)
		}
		for f.n < capacity {
			f.put(randomRay(rng, balls))
		}
		checkKernel(t, k, spheresOf(balls, false), f)
	})
}

func TestHitSpecialValues(t *testing.T) {
	ahead := ray{Vec3{0, 0, -5}, Vec3{0, 0, 1}}
	far := ball{Vec3{0, 0, 40}, 1}
	tests := []struct {
		name  string
		ray   ray
		balls []ball
		want  uint32 // number of the sphere, counted from 1; 0 for none
		t     float32
	}{
		{"no sphere", ahead, nil, 0, math.MaxFloat32},
		{"ahead", ahead, []ball{far}, 1, 44},
		{"behind", ahead, []ball{{Vec3{0, 0, -20}, 1}}, 0, math.MaxFloat32},
		{"beside", ahead, []ball{{Vec3{2, 0, 0}, 1}, {Vec3{0, -2, 0}, 1}}, 0, math.MaxFloat32},
		{"from within", ahead, []ball{far, {Vec3{0, 0, -5}, 2}}, 2, 2},
		{"from within, off the center", ahead, []ball{far, {Vec3{0, 0, -4}, 2}}, 2, 3},
		{"from the surface, inward", ahead, []ball{far, {Vec3{0, 0, -4}, 1}}, 2, 0},
		{"from the surface, outward", ahead, []ball{far, {Vec3{0, 0, -6}, 1}}, 2, 0},
		{"tangent", ahead, []ball{far, {Vec3{1, 0, 0}, 1}}, 2, 5},
		{"negative radius", ahead, []ball{far, {Vec3{}, -0.5}}, 2, 4.5},
		{"ties", ahead, []ball{far, {Vec3{}, 1}, {Vec3{}, 1}, {Vec3{}, -1}}, 2, 4},
		{"up", ray{Vec3{0, -5, 0}, Vec3{0, 1, 0}}, []ball{{Vec3{3, 0, 0}, 1}, {Vec3{}, 1}}, 2, 4},
		{"down", ray{Vec3{0, 5, 0}, Vec3{0, -1, 0}}, []ball{{Vec3{3, 0, 0}, 1}, {Vec3{0, 9, 0}, 1}, {Vec3{}, 1}}, 3, 4},
		{"next to up", ray{Vec3{0, -5, 0}, Vec3{denormal, 1, 0}}, []ball{{Vec3{3, 0, 0}, 1}, {Vec3{}, 1}}, 2, 4},
		{"direction is 0", ray{}, []ball{{Vec3{}, 1}, {Vec3{0, 0, 2}, 1}}, 1, 1},
		{"small sphere", ahead, []ball{{Vec3{}, 0.125}}, 1, 4.875},
		{"huge sphere", ahead, []ball{{Vec3{0, 0, 2e6}, 1e6}}, 1, 1_000_005},
		{"NaN and infinity are no hits", ahead, []ball{
			{Vec3{nan, 0, 0}, 1}, {Vec3{0, 0, -nan}, 1}, {Vec3{}, nan}, {Vec3{}, -nan}, {Vec3{}, inf},
			far, {Vec3{nan, 0, 0}, 1}, {Vec3{0, 0, inf}, 1}, {Vec3{0, -inf, 0}, 1}, {Vec3{}, -inf},
		}, 6, 44},
		{"origin is NaN", ray{Vec3{nan, 0, 0}, Vec3{0, 0, 1}}, []ball{far}, 0, math.MaxFloat32},
		{"direction is NaN", ray{Vec3{}, Vec3{nan, nan, nan}}, []ball{far}, 0, math.MaxFloat32},
		{"origin is infinite", ray{Vec3{0, 0, -inf}, Vec3{0, 0, 1}}, []ball{far}, 0, math.MaxFloat32},
	}
	forEachKernel(t, func(t *testing.T, k kernel) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				// The ray in every lane, among others that hit nothing; and the
				// spheres after others that are missed.
				for lane := range group {
					for _, all := range []bool{false, true} {
						f := newFront()
						for i := range group {
							f.put(ray{Vec3{500, 500, float32(i)}, Vec3{0.6, 0.8, 0}})
							if i == lane {
								f.n--
								f.put(tt.ray)
							}
						}
						missed := slices.Repeat([]ball{{Vec3{1000, 0, 0}, 1}}, lane)
						s := spheresOf(append(missed, tt.balls...), all)
						checkKernel(t, k, s, f)
						k.hit(newSearch(s), f)
						want := tt.want
						if want > 0 {
							want += uint32(lane)
						}
						require.Equal(t, want, f.hit[lane], "lane %d", lane)
						require.Equal(t, tt.t, f.t[lane], "lane %d", lane)
					}
				}
			})
		}
		t.Run("all together", func(t *testing.T) {
			rng := rand.New(rand.NewPCG(14, 3))
			special := func() float32 { return specialValues[rng.IntN(len(specialValues))] }
			for range 300 {
				balls := make([]ball, 24)
				for i := range balls {
					balls[i] = ball{Vec3{special(), special(), special()}, special()}
				}
				s := spheresOf(balls, rng.IntN(2) == 0)
				for i := range s.reach {
					if rng.IntN(2) == 0 {
						s.reach[i], s.radiusSq[i] = special(), special()
					}
				}
				// Few of the numbers of a ray are special, or all would be NaN.
				f := newFront()
				for range 40 {
					r := randomRay(rng, nil)
					for _, x := range []*float32{&r.origin.X, &r.origin.Y, &r.origin.Z, &r.direction.X, &r.direction.Y, &r.direction.Z} {
						if rng.IntN(4) == 0 {
							*x = special()
						}
					}
					f.put(r)
				}
				checkKernel(t, k, s, f)
			}
		})
	})
}

// No sphere is lost by looking at p and q: if a ray hits one at all, by float64
// and by more than rounding, the search finds it or a closer one.
func TestHitFindsTheClosest(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 4))
	hits, misses := 0, 0
	for range 300 {
		balls := randomBalls(rng, rng.IntN(100))
		f := newFront()
		for range 50 {
			f.put(randomRay(rng, balls))
		}
		hitPlain(newSearch(spheresOf(balls, false)), f)
		for i := range f.n {
			r := f.ray(i)
			sure, possible := math.Inf(1), []float64{}
			for j := range balls {
				certain, doubtful := distances(&balls[j], &r)
				for _, d := range certain {
					sure = min(sure, d)
				}
				if uint32(j)+1 == f.hit[i] {
					possible = append(certain, doubtful...)
				}
			}
			if f.hit[i] == 0 {
				require.True(t, math.IsInf(sure, 1), "%+v hits nothing; want a sphere at %v", r, sure)
				misses++
				continue
			}
			d := float64(f.t[i])
			require.LessOrEqual(t, d, sure*1.001+0.05, "%+v hits sphere %d; want a closer one", r, f.hit[i])
			require.True(t, slices.ContainsFunc(possible, func(p float64) bool { return math.Abs(p-d) < 0.001*p+0.5 }),
				"%+v hits sphere %d at %v; want one of %v", r, f.hit[i], d, possible)
			hits++
		}
	}
	t.Logf("%d hits, %d misses", hits, misses)
	assert.Greater(t, hits, 5000)
	assert.Greater(t, misses, 1000)
}

// distances returns in float64 where a ray hits a sphere, and where it does so
// within rounding: on the rim, and near the origin.
func distances(b *ball, r *ray) (certain, doubtful []float64) {
	x := float64(b.center.X) - float64(r.origin.X)
	y := float64(b.center.Y) - float64(r.origin.Y)
	z := float64(b.center.Z) - float64(r.origin.Z)
	nb := x*float64(r.direction.X) + y*float64(r.direction.Y) + z*float64(r.direction.Z)
	c := x*x + y*y + z*z - float64(b.radius)*float64(b.radius)
	size := x*x + y*y + z*z + float64(b.radius)*float64(b.radius)
	discriminant := nb*nb - c
	if math.Abs(discriminant) < 1e-5*size {
		return nil, []float64{nb}
	}
	if discriminant < 0 {
		return nil, nil
	}
	root := math.Sqrt(discriminant)
	for _, d := range []float64{nb - root, nb + root} {
		switch {
		case math.Abs(d) < 2e-4*math.Sqrt(size)+1e-3:
			doubtful = append(doubtful, max(d, 0))
		case d > 0:
			certain = append(certain, d)
		}
	}
	return certain, doubtful
}

func TestFMA(t *testing.T) {
	exact := func(x, y, z float32) float32 {
		sum := float64(x)*float64(y) + float64(z)
		if math.IsNaN(sum) || math.IsInf(sum, 0) || sum == 0 {
			return float32(sum) // no rounding takes part
		}
		number := func(v float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(v)) }
		product := number(x)
		product.Mul(product, number(y))
		result, _ := product.Add(product, number(z)).Float32()
		return result
	}
	rng := rand.New(rand.NewPCG(14, 5))
	for range 100_000 {
		x := 1 + float32(rng.IntN(1<<12))/(1<<12)
		y := 1 + float32(2*rng.IntN(1<<11)+1)/(1<<12)
		z := math.Float32frombits(rng.Uint32()&^(255<<23) | uint32(rng.IntN(100))<<23)
		require.Equal(t, exact(x, y, z), fma(x, y, z), "fma(%g, %g, %g)", x, y, z)
	}
	for _, x := range specialValues {
		for _, y := range specialValues {
			for _, z := range specialValues {
				want, got := exact(x, y, z), fma(x, y, z)
				if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
					t.Fatalf("fma(%g, %g, %g) is %g; want %g", x, y, z, got, want)
				}
			}
		}
	}
}

// The first byte is the number of rays, each of which has 24 bytes; the rest
// are spheres of 20 bytes: center, reach, squared radius. All may be any bits.
func FuzzHit(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		rays := int(data[0])%(2*group) + 1
		all := data[0] >= 128
		data = data[1:]
		number := func() float32 {
			if len(data) < 4 {
				return 0
			}
			x := math.Float32frombits(binary.LittleEndian.Uint32(data))
			data = data[4:]
			return x
		}
		front := newFront()
		for range rays {
			front.put(ray{Vec3{number(), number(), number()}, Vec3{number(), number(), number()}})
		}
		s := &spheres{all: all}
		for len(data) > 0 && len(s.cx) < upTo {
			s.cx, s.cy, s.cz = append(s.cx, number()), append(s.cy, number()), append(s.cz, number())
			s.reach, s.radiusSq = append(s.reach, number()), append(s.radiusSq, number())
		}
		for _, k := range assembly {
			if k.missing == "" {
				checkKernel(t, k, s, front)
			}
		}
	})
}

// BenchmarkKernel times the search alone; an operation is a ray. The rays are
// those of a scene after some scatterings, as they are in the middle of a
// picture.
//
//	go test -run '^$' -bench Kernel ./beyond/wavefront
func BenchmarkKernel(b *testing.B) {
	for _, k := range append([]kernel{{name: "plain", hit: hitPlain}}, assembly...) {
		if k.missing != "" {
			continue
		}
		for _, s := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
			b.Run(fmt.Sprintf("kernel=%s/n=%d", k.name, len(s.Spheres)), func(b *testing.B) {
				tracer, f := underWay(s)
				search := newSearch(&tracer.spheres)
				flops := float64(operations(search, f)) / float64(f.n)
				b.ResetTimer()
				for done := 0; done < b.N; done += f.n {
					k.hit(search, f)
				}
				seconds := b.Elapsed().Seconds()
				b.ReportMetric(seconds*1e9/float64(b.N*len(s.Spheres)), "ns/sphere")
				b.ReportMetric(flops*float64(b.N)/seconds, "flop/s")
			})
		}
	}
}

// underWay returns a front of a scene after some scatterings.
func underWay(s *scene.Scene) (*Tracer, *front) {
	t, f := New(s), newFront()
	t.form = best()
	camera, search := NewCamera(&s.Camera, 1280, 720), newSearch(&t.spheres)
	for number := range 10 {
		from := f.n
		for i := 0; f.n+group <= t.live; i++ {
			t.form.draw(f, &block{
				x: 116 * i % 1276, y: 148 * i % 716, width: blockSide, height: blockSide, stride: 1280,
				sample: number, n: 1, number: uint32(i * group),
			})
		}
		t.form.aim(f, camera, from)
		t.form.hit(search, f)
		if number < 9 {
			t.form.part(f, 50)
			t.form.scatter(f, &t.surfaces)
		}
	}
	f.n -= f.n % group
	return t, f
}

// operations counts the floating-point operations that a search takes: 4 for p,
// 6 for q, and 19 for an equation, for all rays of a group that has one ray for
// which it is needed.
func operations(s *search, f *front) int {
	sum := 0
	for i := 0; i < f.n; i += group {
		for j := range s.cx {
			side, up := s.all, s.all
			for l := i; l < i+group && !s.all; l++ {
				a := newAcross(f.ox[l], f.oy[l], f.oz[l], f.dx[l], f.dy[l], f.dz[l])
				p := fma(-s.cz[j], a.uz, fma(s.cx[j], a.ux, a.pu))
				q := fma(-s.cy[j], a.vy, fma(s.cz[j], a.vz, fma(s.cx[j], a.vx, a.qv)))
				side = side || abs(p) <= s.reach[j]
				up = up || abs(p) <= s.reach[j] && abs(q) <= s.reach[j]
			}
			if !s.all {
				sum += 4 * group
			}
			if side && !s.all {
				sum += 6 * group
			}
			if up {
				sum += 19 * group
			}
		}
	}
	return sum
}
