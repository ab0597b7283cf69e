package tracing

import (
	"math"
	"sync"
	"sync/atomic"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/scene"
	"raysteps/step13"
)

// What is as in step 13.
type (
	Camera    = step13.Camera
	HitRecord = step13.HitRecord
	Ray       = step13.Ray
	RNG       = step13.RNG
	SphereSoA = step13.SphereSoA
	Vec3      = step13.Vec3
	World     = step13.World
)

// TMin keeps a scattered ray from hitting the surface that it starts on.
const TMin = 0.001

// HitTest finds the closest hit of a ray.
type HitTest interface {
	// Closest returns the index of the sphere that r hits first at a distance between
	// tMin and tMax, both exclusive, and the distance; or -1 and tMax.
	Closest(r *Ray, tMin, tMax float32) (closest int, t float32)
}

// Tracer renders one scene with a hit test.
type Tracer struct {
	Camera scene.Camera
	World  *World
	// NewHitTest returns a hit test of the world's spheres, for one goroutine.
	NewHitTest func() HitTest
}

// worker is one goroutine of a render.
type worker struct {
	camera  *Camera
	world   *World
	rng     RNG
	bounces int
	rays    int64
	ray     Ray
	test    HitTest
}

func (t *Tracer) newWorker(camera *Camera, s common.Settings) *worker {
	w := mem.NewIsolated[worker]()
	w.camera, w.world, w.bounces, w.test = camera, t.World, s.Bounces, t.NewHitTest()
	return w
}

// Rows fills the film as step 12 does, row by row, and returns the number of rays.
func (t *Tracer) Rows(f *film.Film, s common.Settings) int64 {
	camera := step13.NewCamera(&t.Camera, float32(f.Width)/float32(f.Height))
	w := t.newWorker(&camera, s)
	w.rng = Seed12()
	w.render(f, s)
	return w.rays
}

// Tiles fills the film as step 13 does, tile by tile, on several goroutines, and
// returns the number of rays.
func (t *Tracer) Tiles(f *film.Film, s common.Settings) int64 {
	camera := step13.NewCamera(&t.Camera, float32(f.Width)/float32(f.Height))
	tiles := Tiles(f.Width, f.Height)
	taken := mem.NewIsolated[atomic.Int64]() // tiles
	var rays atomic.Int64
	var wg sync.WaitGroup
	for range min(s.Workers, len(tiles)) {
		wg.Go(func() {
			w := t.newWorker(&camera, s)
			for tile := taken.Add(1) - 1; tile < int64(len(tiles)); tile = taken.Add(1) - 1 {
				w.rng = step13.TileRNG(int(tile))
				w.render(f.Window(tiles[tile]), s)
			}
			rays.Add(w.rays)
		})
	}
	wg.Wait()
	return rays.Load()
}

// render fills a film, or a tile, which is a window of it.
func (w *worker) render(f *film.Film, s common.Settings) {
	invWidth, invHeight := 1/float32(f.Width), 1/float32(f.Height)
	samples := float32(s.Samples)
	for x, y := range f.Pixels() {
		var sum Vec3
		for range s.Samples {
			w.ray = CameraRay(w.camera, x, y, invWidth, invHeight, &w.rng)
			sum = sum.Add(w.color(&w.ray, 0))
		}
		f.SetMean(x, y, sum.X/samples, sum.Y/samples, sum.Z/samples)
	}
}

// CameraRay returns a ray through a random point of a pixel.
func CameraRay(c *Camera, x, y int, invWidth, invHeight float32, rng *RNG) Ray {
	at := rng.InCube()
	return c.Ray((float32(x)+0.5*(at.X+1))*invWidth, (float32(y)+0.5*(at.Y+1))*invHeight, rng)
}

// color returns the light that comes along a ray after so many bounces. It
// reuses r for the scattered ray.
func (w *worker) color(r *Ray, depth int) Vec3 {
	w.rays++
	closest, distance := w.test.Closest(r, TMin, math.MaxFloat32)
	if closest < 0 {
		return Sky(r)
	}
	if depth >= w.bounces {
		return Vec3{}
	}
	hit := w.world.Hit(closest, r, distance)
	scattered, attenuation, ok := (*hit.Material).Scatter(r, hit, &w.rng)
	if !ok {
		return Vec3{}
	}
	*r = scattered
	return attenuation.Mul(w.color(r, depth+1))
}
