package step12

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Parts|Lengths' ./step12

// BenchmarkLengths is that of step 10 for this step's kernel.
func BenchmarkLengths(b *testing.B) {
	if !hasKernel {
		b.Skip("not measured: this build or this processor has no kernel")
	}
	kerneltest.BenchLengths(b, &suite, "avx2", func(p *firstPass, rays []Ray, n int) {
		for i := range n {
			p.closest(&rays[i%len(rays)], tMin, math.MaxFloat32)
		}
	})
}

// BenchmarkParts reports where the time of a ray goes, in nanoseconds a ray. What
// a part works on was recorded from a picture, and each part does it all, one
// after the other; whole is the picture, and rest what its time has more than the
// sum of the parts. The operations of a part do not wait for one another, so the
// processor overlaps them more than in the picture: what that loses there is in
// the rest.
func BenchmarkParts(b *testing.B) {
	for _, s := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
		b.Run("scene="+s.Name, func(b *testing.B) {
			e := record(s)
			spent := make([]time.Duration, len(parts))
			for b.Loop() {
				for i, p := range parts {
					start := time.Now()
					p.run(e)
					spent[i] += time.Since(start)
				}
			}
			rest := 0.0
			for i, p := range parts {
				perRay := float64(spent[i].Nanoseconds()) / float64(b.N*len(e.rays))
				b.ReportMetric(perRay, p.name+"-ns/ray")
				rest += p.sign * perRay
			}
			b.ReportMetric(rest, "rest-ns/ray")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// parts are what is timed. The sign says how a part counts for the rest.
var parts = []struct {
	name string
	sign float64
	run  func(e *experiment)
}{
	{"hit", -1, (*experiment).hit},
	{"scatter", -1, (*experiment).scatter},
	{"camera", -1, (*experiment).camera},
	{"whole", 1, func(e *experiment) { e.tracer.Render(e.film, e.settings) }},
}

type experiment struct {
	tracer   *Tracer
	film     *film.Film
	settings common.Settings
	view     View
	rng      RNG
	// All rays of a picture, and what they hit.
	rays   []Ray
	hits   []recordedHit
	pixels [][2]int
	// Results, so that nothing is left out.
	record  HitRecord
	ray     Ray
	through Vec3
}

type recordedHit struct {
	ray Ray
	rec HitRecord
}

// record renders a picture as Render does, and keeps what each part works on.
func record(s *scene.Scene) *experiment {
	const width, height, bounces = 64, 36, 50
	e := &experiment{
		tracer: New(s), film: film.New(width, height), rng: seeds, view: NewView(NewCamera(&s.Camera, float32(width)/height), width, height),
		settings: common.Settings{Width: width, Height: height, Samples: 1, Bounces: bounces, Workers: 1},
	}
	for y := height - 1; y >= 0; y-- {
		for x := range width {
			e.pixels = append(e.pixels, [2]int{x, y})
			e.view.At(x, y)
			r := e.view.Ray(&e.rng)
			for depth := 0; ; depth++ {
				e.rays = append(e.rays, r)
				closest, distance := e.tracer.pass.closest(&r, tMin, math.MaxFloat32)
				if closest < 0 || depth == bounces {
					break
				}
				rec := e.tracer.world.hit(closest, &r, distance)
				e.hits = append(e.hits, recordedHit{r, rec})
				e.view.Discard()
				next, _, ok := rec.Material.Scatter(&r, rec, &e.rng)
				if !ok {
					break
				}
				r = next
				if rec.Material.Kind != scene.Dielectric {
					e.view.Prepare(&e.rng)
				}
			}
		}
	}
	return e
}

func (e *experiment) hit() {
	t := e.tracer
	for i := range e.rays {
		if closest, distance := t.pass.closest(&e.rays[i], tMin, math.MaxFloat32); closest >= 0 {
			e.record = t.world.hit(closest, &e.rays[i], distance)
		}
	}
}

func (e *experiment) scatter() {
	for i := range e.hits {
		h := &e.hits[i]
		e.ray, e.through, _ = h.rec.Material.Scatter(&h.ray, h.rec, &e.rng)
	}
}

func (e *experiment) camera() {
	for _, p := range e.pixels {
		e.view.At(p[0], p[1])
		e.ray = e.view.Ray(&e.rng)
	}
}

// BenchmarkChain reports how long the hit test takes, in cycles, of a ray that waits for
// the one before. The rays are in a room, a sphere seen from within: all hit it, and
// every jump is predicted. What makes a ray of the last distance takes a subtraction
// and an addition, some six cycles. Step 11 has the other links of a path.
//
//	go test -run '^$' -bench Chain ./step12
func BenchmarkChain(b *testing.B) {
	t := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
		{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}},
	}})
	b.Run("link=hit", func(b *testing.B) {
		kerneltest.BenchCycles(b, func(n int) {
			r, d := NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1}), float32(0)
			for range n {
				_, d = t.pass.closest(&r, tMin, math.MaxFloat32)
				r.Direction.Z += d - d
			}
		})
	})
}

// TestParts holds what was recorded to the picture.
func TestParts(t *testing.T) {
	for _, s := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
		t.Run(s.Name, func(t *testing.T) {
			e := record(s)
			require.NotEmpty(t, e.hits)
			require.Equal(t, int64(len(e.rays)), e.tracer.Render(e.film, e.settings), "rays")
			require.Equal(t, e.tracer.rng, e.rng, "random numbers")
		})
	}
}
