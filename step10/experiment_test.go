package step10

import (
	"fmt"
	"math"
	"testing"
	"time"

	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Calls|Lengths|Chain' ./step10

// BenchmarkCalls runs the hit test over the 484 spheres of the large scene;
// an operation is a ray. It is called once for all spheres, or once for every
// eight.
func BenchmarkCalls(b *testing.B) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	all := newFirstPass(&New(s).world.Spheres)
	groups := groupsOf(all)
	for _, tt := range []struct {
		name   string
		passes []*firstPass
	}{{"one", []*firstPass{all}}, {"61", groups}} {
		b.Run("calls="+tt.name, func(b *testing.B) {
			rng := seed
			ray := new(Ray)
			for b.Loop() {
				*ray = camera.Ray(rng.Float32(), rng.Float32(), &rng)
				for _, p := range tt.passes {
					p.closest(ray, tMin, math.MaxFloat32)
				}
			}
		})
	}
}

// BenchmarkLengths runs the hit test over more and more spheres, by the kernel and by
// its twin; an operation is a ray. The spheres are a wall of which a ray has 1.4
// candidates on average, however many they are.
func BenchmarkLengths(b *testing.B) {
	rng := seed
	at := func() Vec3 { return Vec3{2*rng.Float32() - 1, 2*rng.Float32() - 1, -9 - 2*rng.Float32()} }
	rays := make([]Ray, 4096)
	for i := range rays {
		rays[i] = NewRay(Vec3{}, at())
	}
	for _, k := range []struct {
		name    string
		closest func(p *firstPass, r *Ray, tMin, tMax float32) (int, float32)
	}{{"plain", closestGeneric}, {"sse", (*firstPass).closest}} {
		for n := 8; n <= 4096; n *= 2 {
			b.Run(fmt.Sprintf("kernel=%s/spheres=%d", k.name, n), func(b *testing.B) {
				w := new(World)
				for range n {
					w.Spheres.Append(Sphere{Center: at(), RadiusSq: float32(1.4 * 4 / math.Pi / float64(n))})
				}
				p, cycle := newFirstPass(&w.Spheres), cycle(&rng)
				for i := 0; b.Loop(); i++ {
					k.closest(p, &rays[i%len(rays)], tMin, math.MaxFloat32)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n)/cycle, "cycles/sphere")
			})
		}
	}
}

// none is 0, which no compiler knows.
var none uint32

// BenchmarkChain reports how long a link of the chain takes that leads from one ray
// to the next, in cycles. The result of a link is its next input, so that nothing
// overlaps. The rays are in a room, a sphere seen from within: all hit it, and what
// makes the input from the result takes a subtraction and an addition, some six
// cycles. A bounce is all three links without that. The only guess is whether a point is
// in the ball; learned is a bounce whose random numbers begin again after 32, so that
// the processor knows them. Camera is a ray from the camera up to the bits of a hit
// test that finds nothing.
func BenchmarkChain(b *testing.B) {
	t := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
		{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}},
	}})
	sky := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{{Center: [3]float32{0, 1e4, 0}, Radius: 1}}})
	bounces := func(n, learn int) {
		for i := range n {
			if i%learn == 0 {
				t.rng = seed
			}
			closest, d := t.pass.closest(&t.ray, tMin, math.MaxFloat32)
			rec := t.world.hit(closest, &t.ray, d)
			t.ray, _, _ = (*rec.Material).Scatter(&t.ray, rec, &t.rng)
		}
	}
	for _, link := range []struct {
		name string
		run  func(n int)
	}{
		{"hit", func(n int) {
			for range n {
				_, d := t.pass.closest(&t.ray, tMin, math.MaxFloat32)
				t.ray.Direction.Z += d - d
			}
		}},
		{"surface", func(n int) {
			d := float32(1)
			for range n {
				rec := t.world.hit(0, &t.ray, d)
				d += rec.N.X - rec.N.X
			}
		}},
		{"scatter", func(n int) {
			rec := t.world.hit(0, &t.ray, 1)
			for i := range n {
				if i%32 == 0 {
					t.rng = seed
				}
				next, _, _ := (*rec.Material).Scatter(&t.ray, rec, &t.rng)
				rec.N = next.Direction
			}
		}},
		{"learned", func(n int) { bounces(n, 32) }},
		{"bounce", func(n int) { bounces(n, math.MaxInt) }},
		{"camera", func(n int) {
			sky.rng, sky.rays, sky.bounces = seed, 0, 50
			camera := NewCamera(&sky.camera, 16./9)
			for i := 0; sky.rays < int64(n); i++ {
				sky.rng ^= RNG(uint32(sky.pass.candidates[0]) & none)
				u := (float32(i%320) + sky.rng.Float32()) * (1. / 320)
				v := (float32(i/320%180) + sky.rng.Float32()) * (1. / 180)
				sky.ray = camera.Ray(u, v, &sky.rng)
				sky.color(&sky.ray, 0)
			}
		}},
	} {
		b.Run("link="+link.name, func(b *testing.B) {
			t.ray = NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
			rng := seed
			cycle := cycle(&rng)
			t.rng = rng
			b.ResetTimer()
			link.run(b.N)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/cycle, "cycles/op")
		})
	}
}

// cycle returns how long a cycle of the processor takes, in nanoseconds: a random number
// takes six operations, each of which waits for the one before.
func cycle(rng *RNG) float64 {
	const numbers = 100_000
	local, start := *rng, time.Now()
	for range numbers {
		local.Uint32()
	}
	*rng = local
	return float64(time.Since(start).Nanoseconds()) / (6 * numbers)
}

// groupsOf cuts a first pass into pieces of eight spheres.
func groupsOf(p *firstPass) (groups []*firstPass) {
	for i := 0; i < len(p.cx); i += 8 {
		groups = append(groups, &firstPass{
			cx: p.cx[i : i+8], cy: p.cy[i : i+8], cz: p.cz[i : i+8], radiusSq: p.radiusSq[i : i+8],
			candidates: make([]uint64, 1), nb: p.nb[i : i+8], discriminants: p.discriminants[i : i+8],
		})
	}
	return groups
}

// TestCalls holds the pieces to the closest hit of the whole.
func TestCalls(t *testing.T) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	all := newFirstPass(&New(s).world.Spheres)
	groups := groupsOf(newFirstPass(&New(s).world.Spheres))
	rng := seed
	found := 0
	for range 1000 {
		r := camera.Ray(rng.Float32(), rng.Float32(), &rng)
		want, wantT := all.closest(&r, tMin, math.MaxFloat32)
		got, gotT := -1, float32(math.MaxFloat32)
		for g, p := range groups {
			if i, t := p.closest(&r, tMin, math.MaxFloat32); t < gotT {
				got, gotT = 8*g+i, t
			}
		}
		if got != want || gotT != wantT {
			t.Fatalf("ray %v: sphere %d at %v; want %d at %v", r, got, gotT, want, wantT)
		}
		if want >= 0 {
			found++
		}
	}
	if found == 0 {
		t.Fatal("no hits")
	}
}
