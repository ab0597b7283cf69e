package step11

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Change|Replay' ./step11

// BenchmarkChange times the changes of this step that gain or lose, each on its own: before is as in
// the step before, in code that is otherwise of this step, and after is this
// step. What an operation is depends on the change and is said at its name in
// the list. The operations of a list do not wait for one another, so the
// processor overlaps them more than those of a path, except where an operation
// is a path.
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
	// The versions draw other random numbers: the tolerance is for the means.
	otherNumbers bool
}{
	// A hit. The ray is a local variable, and a pointer to it goes to a method of
	// an interface; of a type.
	{name: "escape", before: escapeInterface, after: escapeValue},
	// A path. A hit record is filled through a pointer; returned and passed on.
	{name: "record", before: pathFilled, after: path},
	// A point, of one stream; of three.
	{name: "streams", before: ballOneStream, after: ballRejected, tolerance: 0.03, otherNumbers: true},
	// A point. One is drawn, and another if it is not in the ball; 64 are drawn
	// ahead, with a bit for each that is.
	{name: "ahead", before: ballRejected, after: ball},
	// A place in the pixel, of one stream; of two of three that all advance.
	{name: "jitter", before: jitterOneStream, after: jitter, tolerance: 0.03, otherNumbers: true},
	// A direction off metal, through glass, and to the sky. It is made a unit
	// vector, which it is; taken as it is.
	{name: "unit-metal", before: metalUnit, after: metal, tolerance: 1e-6},
	{name: "unit-glass", before: glassUnit, after: glass, tolerance: 1e-5},
	{name: "unit-sky", before: skyUnit, after: skyAsIs, tolerance: 1e-6},
	// A direction through glass. The mirrored one is computed always; if it is
	// needed.
	{name: "reflection", before: glassReflected, after: glass},
	// A ray against the 484 spheres of the large scene, first pass in plain Go
	// and second pass.
	{name: "flipped", before: closestOC, after: closestCO},
	// A pixel. The sum is multiplied by the inverse; divided.
	{name: "average", before: averageInverse, after: averageDivided, tolerance: 1e-6},
}

// size is how many there are of each recorded input.
const size = 4096

// experiment is what the versions read and write.
type experiment struct {
	Tracer
	// What the tracer met in pictures of the medium scene, in this order.
	paths, misses      []Ray // the camera's rays; those to the sky
	hits, metal, glass []hit // all; those on metal; those on glass
	// The large scene, and the rays that were followed in it.
	large     *firstPass
	largeRays []Ray
	// The number of samples a pixel.
	samples int
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
		Tracer: *New(s), samples: 10,
		scattered: make([]scattering, size), out: make([]Vec3, size),
	}
	e.attenuations = make([]Vec3, 50)
	e.restart()
	const width, height = 64, 36
	camera := NewCamera(&s.Camera, 16./9)
	for i := 0; min(len(e.paths), len(e.misses), len(e.hits), len(e.metal), len(e.glass)) < size; i++ {
		x, y := i%width, height-1-i/width%height
		e.rng.FillPair()
		u, v := e.rng.Pair()
		r := camera.Ray((u+float32(x))/width, (v+float32(y))/height, &e.rng)
		e.paths = append(e.paths, r)
		for range e.attenuations {
			closest, distance := e.pass.closest(&r, tMin, math.MaxFloat32)
			if closest < 0 {
				e.misses = append(e.misses, r)
				break
			}
			rec := e.world.hit(closest, &r, distance)
			h := hit{ray: r, rec: rec}
			switch m := rec.Material; m.Kind {
			case scene.Lambertian:
				h.shade = (*matteType)(m)
			case scene.Metal:
				h.shade = (*metalType)(m)
				e.metal = append(e.metal, h)
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
	e.paths, e.misses = e.paths[len(e.paths)-size:], e.misses[len(e.misses)-size:]
	e.hits, e.metal, e.glass = e.hits[len(e.hits)-size:], e.metal[len(e.metal)-size:], e.glass[len(e.glass)-size:]

	s = scene.Large()
	camera = NewCamera(&s.Camera, 16./9)
	large := New(s)
	e.large = large.pass
	for len(e.largeRays) < size {
		e.rng.FillPair()
		u, v := e.rng.Pair()
		r, ok := camera.Ray(u, v, &e.rng), true
		for ok {
			e.largeRays = append(e.largeRays, r)
			closest, distance := large.pass.closest(&r, tMin, math.MaxFloat32)
			if ok = closest >= 0; ok {
				rec := large.world.hit(closest, &r, distance)
				r, _, ok = rec.Material.Scatter(&r, rec, &e.rng)
			}
		}
	}
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

func path(e *experiment, n int) {
	for i, r := range e.paths[:n] {
		e.out[i] = e.color(r)
	}
}

func pathFilled(e *experiment, n int) {
	for i, r := range e.paths[:n] {
		e.out[i] = e.colorFilled(r)
	}
}

// filledRecord is the hit record of the step before.
type filledRecord struct {
	T        float32
	P, N     Vec3
	Material *Material
}

func (e *experiment) colorFilled(r Ray) Vec3 {
	var hit filledRecord
	depth := 0
	for {
		e.rays++
		if !e.world.hitFilled(&r, tMin, math.MaxFloat32, &hit, e.pass) {
			break
		}
		if depth >= len(e.attenuations) {
			return Vec3{}
		}
		scattered, attenuation, ok := hit.Material.scatterFilled(&r, &hit, &e.rng)
		if !ok {
			return Vec3{}
		}
		e.attenuations[depth] = attenuation
		depth++
		r = scattered
	}
	color := sky(&r)
	for depth > 0 {
		depth--
		color = e.attenuations[depth].Mul(color)
	}
	return color
}

func (w *World) hitFilled(r *Ray, tMin, tMax float32, rec *filledRecord, pass *firstPass) bool {
	closest, t := pass.closest(r, tMin, tMax)
	if closest < 0 {
		return false
	}
	s := &w.Spheres.Surface()[closest]
	rec.T = t
	rec.P = r.At(t)
	rec.N = rec.P.Sub(s.Center).Scale(s.InvRadius)
	rec.Material = &s.Material
	return true
}

func (m *Material) scatterFilled(r *Ray, hit *filledRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool) {
	switch m.Kind {
	case scene.Lambertian:
		rng.FillBall()
		target := hit.P.Add(hit.N).Add(rng.InUnitBall())
		return NewRay(hit.P, target.Sub(hit.P)), m.Albedo, true
	case scene.Metal:
		rng.FillBall()
		reflected := r.Direction.Reflect(hit.N)
		scattered = NewRay(hit.P, reflected.Add(rng.InUnitBall().Scale(m.Fuzz)))
		return scattered, m.Albedo, scattered.Direction.Dot(hit.N) > 0
	default:
		return NewRay(hit.P, m.throughGlass(r.Direction, hit.N, rng)), Vec3{1, 1, 1}, true
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

func ballOneStream(e *experiment, n int) {
	for i := range e.out[:n] {
		e.out[i] = e.rng.inUnitBallOneStream()
	}
}

func (r *RNG) inUnitBallOneStream() Vec3 {
	s := r.s
	for {
		x := xorshift(s)
		y := xorshift(x)
		s = xorshift(y)
		p := Vec3{symmetric(x), symmetric(y), symmetric(s)}
		if p.Dot(p) < 1 {
			r.s = s
			return p
		}
	}
}

func jitter(e *experiment, n int) {
	for i := range e.out[:n] {
		e.rng.FillPair()
		e.out[i].X, e.out[i].Y = e.rng.Pair()
	}
}

func jitterOneStream(e *experiment, n int) {
	for i := range e.out[:n] {
		e.out[i].X, e.out[i].Y = e.rng.Float32(), e.rng.Float32()
	}
}

func metal(e *experiment, n int) {
	for i := range e.metal[:n] {
		h := &e.metal[i]
		e.rng.FillBall()
		e.out[i] = h.ray.Direction.Reflect(h.rec.N).Add(e.rng.InUnitBall().Scale(h.rec.Material.Fuzz))
	}
}

func metalUnit(e *experiment, n int) {
	for i := range e.metal[:n] {
		h := &e.metal[i]
		e.rng.FillBall()
		e.out[i] = h.ray.Direction.Unit().Reflect(h.rec.N).Add(e.rng.InUnitBall().Scale(h.rec.Material.Fuzz))
	}
}

func skyAsIs(e *experiment, n int) {
	for i := range e.misses[:n] {
		e.out[i] = sky(&e.misses[i])
	}
}

func skyUnit(e *experiment, n int) {
	for i := range e.misses[:n] {
		t := 0.5 * (e.misses[i].Direction.Unit().Y + 1)
		e.out[i] = Vec3{1, 1, 1}.Scale(1 - t).Add(Vec3{0.5, 0.7, 1}.Scale(t))
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

func glassReflected(e *experiment, n int) {
	for i := range e.glass[:n] {
		h := &e.glass[i]
		e.out[i] = h.rec.Material.throughGlassReflected(h.ray.Direction, h.rec.N, &e.rng)
	}
}

func (m *Material) throughGlassReflected(dir, n Vec3, rng *RNG) Vec3 {
	outward, ratio, cosine := n, m.InvIndex, float32(0)
	if d := dir.Dot(n); d > 0 {
		outward, ratio, cosine = n.Neg(), m.Index, m.Index*d
	} else {
		cosine = -d
	}
	next := dir.Reflect(n)
	refracted, possible := refract(dir, outward, ratio)
	if draw := rng.Float32(); possible && !(draw < schlick(cosine, m.Reflectance)) {
		next = refracted
	}
	return next
}

func closestCO(e *experiment, n int) {
	for i := range e.largeRays[:n] {
		_, e.out[i].X = closestGeneric(e.large, &e.largeRays[i], tMin, math.MaxFloat32)
	}
}

func closestOC(e *experiment, n int) {
	for i := range e.largeRays[:n] {
		_, e.out[i].X = e.large.closestOC(&e.largeRays[i], tMin, math.MaxFloat32)
	}
}

func (p *firstPass) closestOC(r *Ray, tMin, tMax float32) (closest int, t float32) {
	p.runGenericOC(r)
	closest = -1
	for word, candidates := range p.candidates {
		for ; candidates != 0; candidates &= candidates - 1 {
			i := 64*word + bits.TrailingZeros64(candidates)
			b, root := p.nb[i], sqrt(p.discriminants[i])
			t := -b - root
			if !(t > tMin) {
				t = -b + root
			}
			if t > tMin && t < tMax {
				closest, tMax = i, t
			}
		}
	}
	return closest, tMax
}

// runGenericOC puts b, and not -b, into the column nb.
func (p *firstPass) runGenericOC(r *Ray) {
	cx := p.cx
	cy, cz, radiusSq := p.cy[:len(cx)], p.cz[:len(cx)], p.radiusSq[:len(cx)]
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	clear(p.candidates)
	for i := range cx {
		ocx := ox - cx[i]
		ocy := oy - cy[i]
		ocz := oz - cz[i]
		b := float32(ocx*dx) + float32(ocy*dy) + float32(ocz*dz)
		c := float32(ocx*ocx) + float32(ocy*ocy) + float32(ocz*ocz) - radiusSq[i]
		discriminant := float32(b*b) - c
		if math.Float32bits(discriminant)>>31 == 0 {
			p.nb[i], p.discriminants[i] = b, discriminant
			p.candidates[i/64] |= 1 << (uint(i) % 64)
		}
	}
}

// Any vectors will do as the sums of pixels.

func averageInverse(e *experiment, n int) {
	for i := range e.hits[:n] {
		e.out[i] = e.hits[i].rec.P.Scale(1 / float32(e.samples))
	}
}

func averageDivided(e *experiment, n int) {
	samples := float32(e.samples)
	for i := range e.hits[:n] {
		sum := &e.hits[i].rec.P
		e.out[i] = Vec3{sum.X / samples, sum.Y / samples, sum.Z / samples}
	}
}

// BenchmarkChain reports how long a link of the chain takes that leads from one ray
// to the next, in cycles. The result of a link is its next input, so that nothing
// overlaps. The rays are in a room, a sphere seen from within: all hit it, and every
// jump is predicted. What makes the input from the result of hit and of surface
// takes a subtraction and an addition, some six cycles; a bounce is all three links
// without that.
//
//	go test -run '^$' -bench Chain ./step11
func BenchmarkChain(b *testing.B) {
	t := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
		{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}},
	}})
	t.rng = seeds
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
	} {
		b.Run("link="+link.name, func(b *testing.B) {
			r := NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
			_, d := t.pass.closest(&r, tMin, math.MaxFloat32)
			rec := t.world.hit(0, &r, d)
			start := time.Now()
			s := uint32(1)
			const numbers = 100_000
			for range numbers {
				s = xorshift(s) // six operations, each of which waits for the one before
			}
			cycle := float64(time.Since(start).Nanoseconds()) / (6 * numbers)
			t.rng.s = s
			b.ResetTimer()
			link.run(b.N, r, rec, d)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/cycle, "cycles/op")
		})
	}
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

			switch {
			case c.otherNumbers:
				want, wantSq := means(out)
				got, gotSq := means(e.out)
				assert.InDeltaSlice(t, want[:], got[:], c.tolerance, "mean")
				assert.InDelta(t, wantSq, gotSq, c.tolerance, "mean square")
			case c.tolerance > 0:
				for i, want := range out {
					d := want.Sub(e.out[i])
					require.InDelta(t, 0, d.Length(), c.tolerance, "operation %d: %v; want %v", i, e.out[i], want)
				}
			default:
				for i, want := range out {
					require.Equal(t, want, e.out[i], "operation %d", i)
					require.Equal(t, scattered[i], e.scattered[i], "operation %d", i)
				}
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

func means(vectors []Vec3) (mean [3]float64, square float64) {
	for _, v := range vectors {
		mean[0] += float64(v.X) / size
		mean[1] += float64(v.Y) / size
		mean[2] += float64(v.Z) / size
		square += float64(v.Dot(v)) / size
	}
	return mean, square
}
