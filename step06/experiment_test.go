package step06

import (
	"fmt"
	"math"
	"testing"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/stats"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Discriminants|Passes|Replay' ./step06

var counted stats.Set
var positive = counted.Percentage("Spheres/Positive discriminants")

// countPositive renders a scene and returns how many spheres were tested and
// how many of the discriminants were positive, and the rays that Render
// counts.
func countPositive(s *scene.Scene, settings common.Settings) (discriminants stats.Share, rays int64) {
	run := counted.NewRun()
	shard := run.NewShard()
	t := New(s)
	t.rng, t.bounces = seed, settings.Bounces
	width, height := float32(settings.Width), float32(settings.Height)
	camera := NewCamera(&t.camera, width/height)
	for y := settings.Height - 1; y >= 0; y-- {
		for x := range settings.Width {
			for range settings.Samples {
				u := (float32(x) + t.rng.Float32()) / width
				v := (float32(y) + t.rng.Float32()) / height
				t.ray = camera.Ray(u, v, &t.rng)
				// This is color without the colors.
				for depth := 0; ; depth++ {
					t.rays++
					hit := t.world.Hit(&t.ray, tMin, math.MaxFloat32, &t.hit, t.discriminants)
					for _, d := range t.discriminants {
						positive.Count(shard, d > 0)
					}
					if !hit || depth >= t.bounces {
						break
					}
					scattered, _, ok := t.hit.Material.Scatter(&t.ray, &t.hit, &t.rng)
					if !ok {
						break
					}
					t.ray = scattered
				}
			}
		}
	}
	shard.Close()
	return run.Report().Value("Spheres/Positive discriminants").(stats.Share), t.rays
}

// BenchmarkDiscriminants reports how often a discriminant is positive. An
// operation is a picture.
func BenchmarkDiscriminants(b *testing.B) {
	for _, s := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
		b.Run("scene="+s.Name, func(b *testing.B) {
			var discriminants stats.Share
			for b.Loop() {
				discriminants, _ = countPositive(s, common.Quick())
			}
			b.ReportMetric(float64(discriminants.Whole), "tests")
			b.ReportMetric(float64(discriminants.Part), "positive")
			b.ReportMetric(discriminants.Percent(), "percent")
		})
	}
}

// TestDiscriminants holds the count to the rays that Render counts and to the
// shares that the C++ original was published with.
func TestDiscriminants(t *testing.T) {
	for _, tt := range []struct {
		scene   *scene.Scene
		percent float64
	}{{scene.Small(), 21.34}, {scene.Medium(), 3.68}, {scene.Large(), 0.45}} {
		s := common.Quick()
		discriminants, rays := countPositive(tt.scene, s)
		if want := New(tt.scene).Render(film.New(s.Width, s.Height), s); rays != want {
			t.Errorf("%s: %d rays; want %d", tt.scene.Name, rays, want)
		}
		if want := rays * int64(len(tt.scene.Spheres)); discriminants.Whole != want {
			t.Errorf("%s: %d tests; want %d", tt.scene.Name, discriminants.Whole, want)
		}
		// The picture is smaller and of another shape than the published one.
		if got := discriminants.Percent(); !(math.Abs(got-tt.percent) <= 0.15*tt.percent) {
			t.Errorf("%s: %.2f %% positive; want about %.2f %%", tt.scene.Name, got, tt.percent)
		}
	}
}

// BenchmarkPasses finds the closest of 484 spheres; an operation is a ray.
// There is one pass with a call for each sphere, as in the step before, one
// pass with the test written out in the loop, and two passes.
func BenchmarkPasses(b *testing.B) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	world := New(s).world
	discriminants := make([]float32, world.Spheres.Len())
	for _, tt := range []struct {
		name string
		hit  func(r *Ray, tMin, tMax float32, rec *HitRecord, discriminants []float32) bool
	}{
		{"one-with-calls", world.hitWithCalls},
		{"one-written-out", world.hitWrittenOut},
		{"two", world.Hit},
	} {
		b.Run("passes="+tt.name, func(b *testing.B) {
			rng := seed
			ray, rec := new(Ray), new(HitRecord)
			for b.Loop() {
				*ray = camera.Ray(rng.Float32(), rng.Float32(), &rng)
				tt.hit(ray, tMin, math.MaxFloat32, rec, discriminants)
			}
		})
	}
}

// replay is how many rays are traced before the few are exchanged for others.
const replay = 4096

// BenchmarkReplay finds the closest sphere for the same rays again and again. A
// few of them the processor learns: which discriminants are positive, and which
// sphere is the closest. Many it cannot learn. The instructions are the same, and
// all data are in the caches, so what the times differ by is mispredicted jumps.
// An operation is a ray.
func BenchmarkReplay(b *testing.B) {
	for _, s := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
		camera := NewCamera(&s.Camera, 16./9)
		world := New(s).world
		discriminants := make([]float32, world.Spheres.Len())
		rng := seed
		var rays [4096]Ray
		for i := range rays {
			rays[i] = camera.Ray(rng.Float32(), rng.Float32(), &rng)
		}
		// The few are others after a while, so that in the end the same rays
		// have been measured.
		for _, n := range []int{32, len(rays)} {
			b.Run(fmt.Sprintf("scene=%s/rays=%d", s.Name, n), func(b *testing.B) {
				rec := new(HitRecord)
				i, from := 0, 0
				for b.Loop() {
					for range replay {
						world.Hit(&rays[from+i], tMin, math.MaxFloat32, rec, discriminants)
						if i++; i == n {
							i = 0
						}
					}
					if n < len(rays) {
						from = (from + n) % len(rays)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/replay, "ns/ray")
				b.ReportMetric(0, "ns/op") // of all of them
			})
		}
	}
}

// hitWithCalls is World.Hit of the step before.
func (w *World) hitWithCalls(r *Ray, tMin, tMax float32, rec *HitRecord, _ []float32) bool {
	hit := false
	for i := range w.Spheres.Len() {
		if w.testSphere(i, r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// testSphere does what hitSphere of the step before does: all of the test, in
// a call.
//
//go:noinline
func (w *World) testSphere(i int, r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	center, radius := w.Spheres.Center()[i], w.Spheres.Radius()[i]
	oc := r.Origin.Sub(center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	c := oc.Dot(oc) - float32(radius*radius)
	discriminant := float32(b*b) - float32(a*c)
	return discriminant > 0 && w.hitSphere(i, discriminant, r, tMin, tMax, rec)
}

func (w *World) hitWrittenOut(r *Ray, tMin, tMax float32, rec *HitRecord, _ []float32) bool {
	centers, radii := w.Spheres.Center(), w.Spheres.Radius()
	hit := false
	for i := range centers {
		center, radius := centers[i], radii[i]
		oc := r.Origin.Sub(center)
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radius*radius)
		discriminant := float32(b*b) - float32(a*c)
		if discriminant > 0 && w.hitSphere(i, discriminant, r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// TestPasses holds the loops to the same hits.
func TestPasses(t *testing.T) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	world := New(s).world
	discriminants := make([]float32, world.Spheres.Len())
	rng := seed
	for range 1000 {
		r := camera.Ray(rng.Float32(), rng.Float32(), &rng)
		var want, calls, out HitRecord
		hit := world.Hit(&r, tMin, math.MaxFloat32, &want, discriminants)
		if ok := world.hitWithCalls(&r, tMin, math.MaxFloat32, &calls, nil); ok != hit || calls != want {
			t.Fatalf("with calls, ray %v: %v %v; want %v %v", r, ok, calls, hit, want)
		}
		if ok := world.hitWrittenOut(&r, tMin, math.MaxFloat32, &out, nil); ok != hit || out != want {
			t.Fatalf("written out, ray %v: %v %v; want %v %v", r, ok, out, hit, want)
		}
	}
}
