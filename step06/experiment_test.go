package step06

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/stats"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Discriminants|Passes|Shares' ./step06

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

// share is 484 spheres and rays of which so many percent of all discriminants are positive.
type share struct {
	percent float64
	world   *World
	rays    []Ray // too many for a processor to learn which discriminants are positive
}

// shares makes them once, for slices of milliseconds. The rays are parallel, at random
// places, and so are the spheres. All have the radius that makes it the share.
var shares = sync.OnceValue(func() (all []share) {
	rng := seed
	rays := make([]Ray, 1024)
	for i := range rays {
		rays[i] = Ray{Vec3{rng.Float32(), rng.Float32(), -10}, Vec3{0, 0, 1}}
	}
	var s scene.Scene
	var distances []float32 // of centers from some of the rays
	for range 484 {
		center := [3]float32{rng.Float32(), rng.Float32(), rng.Float32()}
		s.Spheres = append(s.Spheres, scene.Sphere{Center: center, Material: scene.Material{Kind: scene.Lambertian}})
		for _, r := range rays[:128] {
			x, y := center[0]-r.Origin.X, center[1]-r.Origin.Y
			distances = append(distances, sqrt(float32(x*x)+float32(y*y)))
		}
	}
	slices.Sort(distances)
	for _, percent := range []float64{0.2, 0.5, 1, 2, 5, 10, 20, 50, 80, 100} {
		radius := float32(2) // more than any distance
		if percent < 100 {
			radius = distances[int(percent/100*float64(len(distances)))]
		}
		for i := range s.Spheres {
			s.Spheres[i].Radius = radius
		}
		all = append(all, share{percent, New(&s).world, rays})
	}
	return all
})

// BenchmarkShares finds the closest of 484 spheres, for shares of positive discriminants
// from one of five hundred to all. An operation is a ray.
func BenchmarkShares(b *testing.B) {
	for _, s := range shares() {
		discriminants := make([]float32, s.world.Spheres.Len())
		for _, tt := range []struct {
			name string
			hit  func(r *Ray, tMin, tMax float32, rec *HitRecord, discriminants []float32) bool
		}{
			{"one-with-calls", s.world.hitWithCalls},
			{"one-written-out", s.world.hitWrittenOut},
			{"two", s.world.Hit},
		} {
			b.Run(fmt.Sprintf("passes=%s/percent=%g", tt.name, s.percent), func(b *testing.B) {
				rec, i := new(HitRecord), 0
				for b.Loop() {
					tt.hit(&s.rays[i%len(s.rays)], tMin, math.MaxFloat32, rec, discriminants)
					i++
				}
			})
		}
	}
}

// TestShares holds the share of positive discriminants to what the benchmark says.
func TestShares(t *testing.T) {
	for _, s := range shares() {
		discriminants := make([]float32, s.world.Spheres.Len())
		positive := 0
		for i := range s.rays {
			s.world.Hit(&s.rays[i], tMin, math.MaxFloat32, new(HitRecord), discriminants)
			for _, d := range discriminants {
				if d > 0 {
					positive++
				}
			}
		}
		if got := 100 * float64(positive) / float64(len(s.rays)*len(discriminants)); !(math.Abs(got-s.percent) <= 0.1*s.percent) {
			t.Errorf("%.3f %% positive; want about %g %%", got, s.percent)
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
