package instrumented

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"raysteps/common"
	"raysteps/common/apiprof"
	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/perf"
	"raysteps/common/scene"
	"raysteps/common/stats"
	"raysteps/step13"
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
	camera *step13.Camera
	world  *step13.World
	rng    step13.RNG
	view   step13.View
	rays   int64
	// What the first pass reads and writes.
	pass *step13.FirstPass
	// The attenuations along a path, one a bounce.
	attenuations []step13.Vec3
	// What it measures with; what is nil does not measure.
	shard   *stats.Shard
	timers  *perf.Worker
	hitTest *apiprof.Worker
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	return &Tracer{Tracer: step13.New(s), camera: s.Camera}
}

// Render is that of step 13, and measures with the instruments.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	camera := step13.NewCamera(&t.camera, float32(f.Width)/float32(f.Height))
	tiles := step13.Tiles(f.Width, f.Height)
	taken := mem.NewIsolated[atomic.Int64]() // tiles
	var rays atomic.Int64
	var wg sync.WaitGroup
	for i := range min(s.Workers, len(tiles)) {
		wg.Go(func() {
			w := mem.NewIsolated[worker]()
			w.camera, w.world, w.pass = &camera, t.World(), step13.NewFirstPass(&t.World().Spheres)
			w.attenuations = mem.Isolated[step13.Vec3](s.Bounces)
			t.Instruments.open(w, i)
			for tile := taken.Add(1) - 1; tile < int64(len(tiles)); tile = taken.Add(1) - 1 {
				w.rng = step13.Seeds(int(tile))
				w.render(f.Window(tiles[tile]), s)
			}
			w.close()
			rays.Add(w.rays)
		})
	}
	wg.Wait()
	return rays.Load()
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
		var sum step13.Vec3
		for sample := range s.Samples {
			ray := w.view.Ray(&w.rng)
			if sample == s.Samples-1 {
				w.view.Right() // where the next ray will be, but at the end of a row
			}
			before := w.rays
			sum = sum.Add(w.color(ray))
			w.path(w.rays - before)
		}
		f.SetMean(x, y, sum.X/samples, sum.Y/samples, sum.Z/samples)
	}
}

// color returns the light that comes along a ray.
func (w *worker) color(r step13.Ray) step13.Vec3 {
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
			return step13.Vec3{}
		}
		w.view.Discard() // it was made from random numbers that this bounce takes
		scattered, attenuation, ok := hit.Material.Scatter(&r, hit, &w.rng)
		if !ok {
			return step13.Vec3{}
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
func (w *worker) closest(r *step13.Ray) (sphere int, distance float32) {
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
