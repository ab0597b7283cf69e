package step11

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Change|Replay|Slack' ./step11

// BenchmarkChange times three changes of this step, each on its own: before is as in
// the step before, in code that is otherwise of this step, and after is this
// step. What an operation is stands at its name in the list. The operations of a list
// do not wait for one another, so the processor overlaps them more than those of a
// path.
func BenchmarkChange(b *testing.B) {
	e := record()
	for _, c := range changes {
		for _, v := range []struct {
			name string
			run  func(e *experiment, n int)
		}{{"before", c.before}, {"after", c.after}} {
			b.Run("change="+c.name+"/version="+v.name, func(b *testing.B) {
				b.ReportAllocs()
				e.restart()
				for left := b.N; left > 0; left -= size {
					v.run(e, min(left, size))
				}
			})
		}
	}
}

// BenchmarkReplay draws points of the ball one by one until one is inside, or
// ahead; an operation is a point. The stream goes on, or begins again after 32
// points, so that the processor learns where it jumps.
func BenchmarkReplay(b *testing.B) {
	for _, draw := range []struct {
		name string
		run  func(e *experiment, n int)
	}{{"one-by-one", ballRejected}, {"ahead", ball}} {
		for _, points := range []int{size, 32} {
			b.Run(fmt.Sprintf("draw=%s/points=%d", draw.name, points), func(b *testing.B) {
				e := &experiment{out: make([]Vec3, size)}
				e.rng = seeds
				for left := b.N; left > 0; left -= points {
					if points < size {
						e.rng.x, e.rng.y, e.rng.z, e.rng.next, e.rng.inside = seeds.x, seeds.y, seeds.z, ahead, 0
					}
					draw.run(e, min(left, points))
				}
			})
		}
	}
}

// changes are the changes of this step, each in two versions. A version does
// the first n of size operations and leaves the results in the experiment.
var changes = []struct {
	name          string
	before, after func(e *experiment, n int)
	// How far the results may be apart; 0 asks for equal ones.
	tolerance float64
}{
	// A hit. The ray is a local variable, and a pointer to it goes to a method of
	// an interface; of a type.
	{name: "escape", before: escapeInterface, after: escapeValue},
	// A point. One is drawn, and another if it is not in the ball; 64 are drawn
	// ahead, with a bit for each that is.
	{name: "ahead", before: ballRejected, after: ball},
	// A direction through glass. The ray's is made a unit vector, which it is; taken
	// as it is.
	{name: "unit-glass", before: glassUnit, after: glass, tolerance: 1e-5},
}

// size is how many there are of each recorded input.
const size = 4096

// experiment is what the versions read and write.
type experiment struct {
	Tracer
	// What the tracer met in pictures of the medium scene, in this order.
	hits, glass []hit // all; those on glass
	// Results.
	scattered []scattering
	out       []Vec3
}

type hit struct {
	ray   Ray
	rec   HitRecord
	shade scatterer // the material
}

type scattering struct {
	ray         Ray
	attenuation Vec3
	ok          bool
}

func record() *experiment {
	s := scene.Medium()
	e := &experiment{
		Tracer: *New(s), scattered: make([]scattering, size), out: make([]Vec3, size),
	}
	e.restart()
	const width, height = 64, 36
	camera := NewCamera(&s.Camera, 16./9)
	for i := 0; len(e.glass) < size; i++ {
		x, y := i%width, height-1-i/width%height
		e.rng.FillPair()
		u, v := e.rng.Pair()
		r := camera.Ray((u+float32(x))/width, (v+float32(y))/height, &e.rng)
		for range 50 {
			closest, distance := e.pass.closest(&r, tMin, math.MaxFloat32)
			if closest < 0 {
				break
			}
			rec := e.world.hit(closest, &r, distance)
			h := hit{ray: r, rec: rec}
			switch m := rec.Material; m.Kind {
			case scene.Lambertian:
				h.shade = (*matteType)(m)
			case scene.Metal:
				h.shade = (*metalType)(m)
			default:
				h.shade = (*glassType)(m)
				e.glass = append(e.glass, h)
			}
			e.hits = append(e.hits, h)
			next, _, ok := rec.Material.Scatter(&r, rec, &e.rng)
			if !ok {
				break
			}
			r = next
		}
	}
	e.hits, e.glass = e.hits[len(e.hits)-size:], e.glass[len(e.glass)-size:]
	return e
}

func (e *experiment) restart() {
	e.rng = seeds
	clear(e.scattered)
	clear(e.out)
}

// scatterer and the three types are the materials of the step before, with the
// arithmetic of this one.
type scatterer interface {
	Scatter(r *Ray, hit HitRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool)
}

type matteType Material

func (m *matteType) Scatter(_ *Ray, hit HitRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool) {
	rng.FillBall()
	target := hit.P.Add(hit.N).Add(rng.InUnitBall())
	return NewRay(hit.P, target.Sub(hit.P)), m.Albedo, true
}

type metalType Material

func (m *metalType) Scatter(r *Ray, hit HitRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool) {
	rng.FillBall()
	reflected := r.Direction.Reflect(hit.N)
	scattered = NewRay(hit.P, reflected.Add(rng.InUnitBall().Scale(m.Fuzz)))
	return scattered, m.Albedo, scattered.Direction.Dot(hit.N) > 0
}

type glassType Material

func (m *glassType) Scatter(r *Ray, hit HitRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool) {
	return NewRay(hit.P, (*Material)(m).throughGlass(r.Direction, hit.N, rng)), Vec3{1, 1, 1}, true
}

func escapeInterface(e *experiment, n int) {
	for i := range e.hits[:n] {
		s, shade, ray, rec := &e.scattered[i], e.hits[i].shade, e.hits[i].ray, e.hits[i].rec
		s.ray, s.attenuation, s.ok = shade.Scatter(&ray, rec, &e.rng)
	}
}

func escapeValue(e *experiment, n int) {
	for i := range e.hits[:n] {
		s, ray, rec := &e.scattered[i], e.hits[i].ray, e.hits[i].rec
		s.ray, s.attenuation, s.ok = rec.Material.Scatter(&ray, rec, &e.rng)
	}
}

func ball(e *experiment, n int) {
	for i := range e.out[:n] {
		e.rng.FillBall()
		e.out[i] = e.rng.InUnitBall()
	}
}

func ballRejected(e *experiment, n int) {
	for i := range e.out[:n] {
		e.out[i] = e.rng.inUnitBallRejected()
	}
}

func (r *RNG) inUnitBallRejected() Vec3 {
	x, y, z := r.x, r.y, r.z
	for {
		x, y, z = xorshift(x), xorshift(y), xorshift(z)
		p := Vec3{symmetric(x), symmetric(y), symmetric(z)}
		if p.Dot(p) < 1 {
			r.x, r.y, r.z = x, y, z
			return p
		}
	}
}

func glass(e *experiment, n int) {
	for i := range e.glass[:n] {
		h := &e.glass[i]
		e.out[i] = h.rec.Material.throughGlass(h.ray.Direction, h.rec.N, &e.rng)
	}
}

func glassUnit(e *experiment, n int) {
	for i := range e.glass[:n] {
		h := &e.glass[i]
		e.out[i] = h.rec.Material.throughGlassUnit(h.ray.Direction, h.rec.N, &e.rng)
	}
}

func (m *Material) throughGlassUnit(dir, n Vec3, rng *RNG) Vec3 {
	outward, ratio, cosine := n, m.InvIndex, float32(0)
	if d := dir.Dot(n); d > 0 {
		outward, ratio, cosine = n.Neg(), m.Index, m.Index*d/dir.Length()
	} else {
		cosine = -d / dir.Length()
	}
	refracted, possible := refract(dir.Unit(), outward, ratio)
	if draw := rng.Float32(); possible && !(draw < schlick(cosine, m.Reflectance)) {
		return refracted
	}
	return dir.Reflect(n)
}

// BenchmarkSlack traces bounces in a room as Chain does, each with so many additions of 0
// more: between the distance of a hit and what goes on from it, or beside that, where
// nothing waits for them.
func BenchmarkSlack(b *testing.B) {
	t := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
		{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}},
	}})
	for _, way := range []string{"between", "beside"} {
		for additions := 8; additions <= 1024; additions *= 2 {
			b.Run(fmt.Sprintf("way=%s/additions=%d", way, additions), func(b *testing.B) {
				t.rng = seeds
				cycle := cycle(&t.rng)
				r := NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
				zero := math.Float32frombits(none)
				s0, s1, s2, s3, s4, s5, s6, s7 := zeros[0], zeros[1], zeros[2], zeros[3], zeros[4], zeros[5], zeros[6], zeros[7]
				between, beside := additions, 0
				if way == "beside" {
					between, beside = 0, additions
				}
				b.ResetTimer()
				for range b.N {
					i, d := t.pass.closest(&r, tMin, math.MaxFloat32)
					for range between / 8 {
						d = d + zero + zero + zero + zero + zero + zero + zero + zero
					}
					for range beside / 8 {
						s0, s1, s2, s3, s4, s5, s6, s7 = s0+zero, s1+zero, s2+zero, s3+zero, s4+zero, s5+zero, s6+zero, s7+zero
					}
					rec := t.world.hit(i, &r, d)
					r, _, _ = rec.Material.Scatter(&r, rec, &t.rng)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/cycle, "cycles/op")
				if sum := s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7; sum != 0 {
					b.Fatal(sum)
				}
			})
		}
	}
}

// none is 0, which no compiler knows. Nor does it know that the zeros are equal: eight
// sums that begin with one value would be one sum.
var (
	none  uint32
	zeros [8]float32
)

// BenchmarkChain reports how long a link of the chain takes that leads from one ray
// to the next, in cycles. The result of a link is its next input, so that nothing
// overlaps. The rays are in a room, a sphere seen from within: all hit it, and every
// jump is predicted. What makes the input from the result of hit and of surface
// takes a subtraction and an addition, some six cycles; a bounce is all three links
// without that. Camera is a ray from the camera up to the bits of a hit test that
// finds nothing.
//
//	go test -run '^$' -bench Chain ./step11
func BenchmarkChain(b *testing.B) {
	t := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
		{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}},
	}})
	t.rng = seeds
	sky := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{{Center: [3]float32{0, 1e4, 0}, Radius: 1}}})
	for _, link := range []struct {
		name string
		run  func(n int, r Ray, rec HitRecord, d float32) float32
	}{
		{"hit", func(n int, r Ray, _ HitRecord, d float32) float32 {
			for range n {
				_, d = t.pass.closest(&r, tMin, math.MaxFloat32)
				r.Direction.Z += d - d
			}
			return d
		}},
		{"surface", func(n int, r Ray, rec HitRecord, d float32) float32 {
			for range n {
				rec = t.world.hit(0, &r, d)
				d += rec.N.X - rec.N.X
			}
			return d
		}},
		{"scatter", func(n int, r Ray, rec HitRecord, _ float32) float32 {
			for range n {
				next, _, _ := rec.Material.Scatter(&r, rec, &t.rng)
				rec.N = next.Direction
			}
			return rec.N.X
		}},
		{"bounce", func(n int, r Ray, rec HitRecord, d float32) float32 {
			i := 0
			for range n {
				i, d = t.pass.closest(&r, tMin, math.MaxFloat32)
				rec = t.world.hit(i, &r, d)
				r, _, _ = rec.Material.Scatter(&r, rec, &t.rng)
			}
			return d
		}},
		{"camera", func(n int, _ Ray, _ HitRecord, d float32) float32 {
			sky.rng, sky.rays, sky.attenuations = seeds, 0, make([]Vec3, 50)
			camera := NewCamera(&sky.camera, 16./9)
			for i := 0; sky.rays < int64(n); i++ {
				sky.rng.next += uint(uint32(sky.pass.candidates[0]) & none)
				sky.rng.FillPair()
				u, v := sky.rng.Pair()
				sky.color(camera.Ray((u+float32(i%320))*(1./320), (v+float32(i/320%180))*(1./180), &sky.rng))
			}
			return d
		}},
	} {
		b.Run("link="+link.name, func(b *testing.B) {
			r := NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
			_, d := t.pass.closest(&r, tMin, math.MaxFloat32)
			rec := t.world.hit(0, &r, d)
			cycle := cycle(&t.rng)
			b.ResetTimer()
			link.run(b.N, r, rec, d)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/cycle, "cycles/op")
		})
	}
}

// cycle returns how long a cycle of the processor takes, in nanoseconds: a random number
// takes six operations, each of which waits for the one before.
func cycle(rng *RNG) float64 {
	const numbers = 100_000
	s, start := uint32(1), time.Now()
	for range numbers {
		s = xorshift(s)
	}
	rng.s = s
	return float64(time.Since(start).Nanoseconds()) / (6 * numbers)
}

// TestChange holds the two versions of each change to the same results. No
// version allocates but the one that is there to show it.
func TestChange(t *testing.T) {
	e := record()
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			e.restart()
			c.before(e, size)
			scattered, out := slices.Clone(e.scattered), slices.Clone(e.out)
			e.restart()
			require.True(t, !slices.Equal(scattered, e.scattered) || !slices.Equal(out, e.out), "no results")
			c.after(e, size)

			for i, want := range out {
				if c.tolerance == 0 {
					require.Equal(t, want, e.out[i], "operation %d", i)
					require.Equal(t, scattered[i], e.scattered[i], "operation %d", i)
				}
				d := want.Sub(e.out[i])
				require.InDelta(t, 0, d.Length(), c.tolerance, "operation %d: %v; want %v", i, e.out[i], want)
			}
			assert.Zero(t, testing.AllocsPerRun(1, func() { c.after(e, size) }), "allocations after")
			allocs := 0.0
			if c.name == "escape" {
				allocs = size
			}
			assert.Equal(t, allocs, testing.AllocsPerRun(1, func() { c.before(e, size) }), "allocations before")
		})
	}
}
