package instrumented

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/scene"
	"raysteps/step13"
)

// What is as in step 13.
type (
	Camera = step13.Camera
	Ray    = step13.Ray
	RNG    = step13.RNG
	Vec3   = step13.Vec3
	World  = step13.World
)

// tMin keeps a scattered ray from hitting the surface that it starts on.
const tMin = 0.001

// Tracer renders one scene. Several calls of Render may run at a time if nothing
// is measured.
type Tracer struct {
	*step13.Tracer
	Instruments Instruments

	camera scene.Camera
}

// worker is one goroutine of a render. The camera and the world are shared, and
// only read.
type worker struct {
	camera *Camera
	world  *World
	rng    RNG
	view   step13.View
	rays   int64
	// What the first pass reads and writes.
	pass *step13.FirstPass
	// The attenuations along a path, one a bounce.
	attenuations []Vec3
	workerInstruments
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	return &Tracer{Tracer: step13.New(s), camera: s.Camera}
}

// Render fills the film and returns the number of rays that it traced: camera
// rays and scattered ones. The size is the film's; width and height of the
// settings do not count. The same film and settings give the same picture and
// number every time, whatever the number of workers.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	camera := step13.NewCamera(&t.camera, float32(f.Width)/float32(f.Height))
	tiles := step13.Tiles(f.Width, f.Height)
	taken := mem.NewIsolated[atomic.Int64]() // tiles
	workers := make([]*worker, min(s.Workers, len(tiles)))
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			w := newWorker(&camera, t.World(), s)
			t.Instruments.open(w, i, f)
			workers[i] = w
			defer w.close()
			for {
				tile := int(taken.Add(1)) - 1
				if tile >= len(tiles) {
					return
				}
				w.rng = step13.Seeds(tile)
				w.render(f.Window(tiles[tile]), s)
			}
		})
	}
	wg.Wait()
	rays := int64(0)
	for _, w := range workers {
		rays += w.rays
	}
	return rays
}

// newWorker returns a worker whose memory is in cache lines that nobody else
// writes to.
func newWorker(camera *Camera, world *World, s common.Settings) *worker {
	w := mem.NewIsolated[worker]()
	w.camera, w.world, w.pass = camera, world, step13.NewFirstPass(&world.Spheres)
	w.attenuations = mem.Isolated[Vec3](s.Bounces)
	return w
}

// render fills a tile, which is a window of the film.
func (w *worker) render(f *film.Film, s common.Settings) {
	defer tileTime.Since(w.shard, time.Now())
	stored := 0 // bytes: three numbers a pixel; how much is computed differs
	for _, r := range f.Rectangles() {
		stored += 12 * r.Dx() * r.Dy()
	}
	defer w.timers.Start("tile", int64(stored), 0).Stop()
	samples := float32(s.Samples)
	w.view = step13.NewView(*w.camera, f.Width, f.Height)
	for x, y := range f.Pixels() {
		w.view.At(x, y)
		var sum Vec3
		for sample := range s.Samples {
			ray := w.view.Ray(&w.rng)
			if sample == s.Samples-1 {
				w.view.Right() // where the next ray will be, but at the end of a row
			}
			before := w.rays
			sum = sum.Add(w.color(ray))
			w.path(f, x, y, w.rays-before)
		}
		f.SetMean(x, y, sum.X/samples, sum.Y/samples, sum.Z/samples)
	}
}

// color returns the light that comes along a ray.
func (w *worker) color(r Ray) Vec3 {
	depth := 0
	for {
		w.rays++
		closest, distance := w.closest(&r)
		if closest < 0 {
			break
		}
		hit := w.world.Hit(closest, &r, distance)
		hits[hit.Material.Kind].Add(w.shard, 1)
		hitDistance.Add(w.shard, float64(distance))
		if depth >= len(w.attenuations) {
			return Vec3{}
		}
		w.view.Discard() // it was made from random numbers that this bounce takes
		scattered, attenuation, ok := hit.Material.Scatter(&r, hit, &w.rng)
		if !ok {
			return Vec3{}
		}
		scatteredRays[hit.Material.Kind].Add(w.shard, 1)
		w.attenuations[depth] = attenuation
		depth++
		r = scattered
		// Whether r hits anything, nobody can predict. If it does not, the next ray is
		// there. Glass is met again from inside.
		if hit.Material.Kind != scene.Dielectric {
			w.view.Prepare(&w.rng)
		}
	}
	// From the sky back to the eye, as recursion would multiply: the other way
	// round the colors would be rounded differently.
	color := step13.Sky(&r)
	for depth > 0 {
		depth--
		color = w.attenuations[depth].Mul(color)
	}
	return color
}

// closest is the hit test, between its marks.
func (w *worker) closest(r *Ray) (sphere int, distance float32) {
	// For each sphere, those included that pad the columns, the first pass loads
	// four numbers of four bytes, does 16 operations and stores two numbers.
	n := int64(w.world.Spheres.PaddedLen())
	w.hitTest.Enter()
	timer := w.timers.Start("hit test", (4+2)*4*n, 16*n)
	sphere, distance = w.pass.Closest(r, tMin, math.MaxFloat32)
	timer.Stop()
	w.hitTest.Leave()
	w.tests(w.world.Spheres.Len(), w.pass.Candidates())
	return sphere, distance
}
