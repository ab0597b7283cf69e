package instrumented

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"raysteps/beyond/tracing"
	"raysteps/common"
	"raysteps/common/apiprof"
	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/perf"
	"raysteps/common/scene"
	"raysteps/common/stats"
	"raysteps/step13"
)

// Tracer renders one scene. Several calls of Render may run at a time if nothing
// is measured.
type Tracer struct {
	*step13.Tracer
	Instruments Instruments

	camera scene.Camera
	world  *step13.World
}

// worker is one goroutine of a render. The camera and the world are shared, and
// only read.
type worker struct {
	camera  *step13.Camera
	world   *step13.World
	rng     step13.RNG
	bounces int
	rays    int64
	// The ray that is followed. It is here and not local to color because a pointer
	// that is passed to an interface's method escapes: the compiler would allocate
	// it on the heap for every ray.
	ray step13.Ray
	// The hit test of the spheres in the world.
	test *step13.HitTest
	// What it measures with; what is nil does not measure.
	shard   *stats.Shard
	timers  *perf.Worker
	hitTest *apiprof.Worker
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	return &Tracer{Tracer: step13.New(s), camera: s.Camera, world: tracing.NewWorld(s)}
}

// Render is that of step 13, and measures with the instruments.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	camera := step13.NewCamera(&t.camera, float32(f.Width)/float32(f.Height))
	tiles := tracing.Tiles(f.Width, f.Height)
	taken := mem.NewIsolated[atomic.Int64]() // tiles
	var rays atomic.Int64
	var wg sync.WaitGroup
	for i := range min(s.Workers, len(tiles)) {
		wg.Go(func() {
			w := mem.NewIsolated[worker]()
			w.camera, w.world, w.bounces = &camera, t.world, s.Bounces
			w.test = step13.NewHitTest(&t.world.Spheres)
			t.Instruments.open(w, i)
			for tile := taken.Add(1) - 1; tile < int64(len(tiles)); tile = taken.Add(1) - 1 {
				w.rng = step13.TileRNG(int(tile))
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
	invWidth, invHeight := 1/float32(f.Width), 1/float32(f.Height)
	samples := float32(s.Samples)
	for x, y := range f.Pixels() {
		var sum step13.Vec3
		for range s.Samples {
			before := w.rays
			w.ray = tracing.CameraRay(w.camera, x, y, invWidth, invHeight, &w.rng)
			sum = sum.Add(w.color(&w.ray, 0))
			w.path(w.rays - before)
		}
		f.SetMean(x, y, sum.X/samples, sum.Y/samples, sum.Z/samples)
	}
}

// color returns the light that comes along a ray after so many bounces. It
// reuses r for the scattered ray.
func (w *worker) color(r *step13.Ray, depth int) step13.Vec3 {
	w.rays++
	closest, distance := w.closest(r)
	if closest < 0 {
		return tracing.Sky(r)
	}
	hit := w.world.Hit(closest, r, distance)
	kind := kindOf(*hit.Material)
	hits[kind].Add(w.shard, 1)
	hitDistance.Add(w.shard, float64(distance))
	if depth >= w.bounces {
		return step13.Vec3{}
	}
	scattered, attenuation, ok := (*hit.Material).Scatter(r, hit, &w.rng)
	if !ok {
		return step13.Vec3{}
	}
	scatteredRays[kind].Add(w.shard, 1)
	*r = scattered
	return attenuation.Mul(w.color(r, depth+1))
}

// closest is the hit test, between its marks.
func (w *worker) closest(r *step13.Ray) (sphere int, distance float32) {
	// For each sphere, those included that pad the columns, the first pass loads
	// four numbers of four bytes, does 16 operations and stores two numbers.
	n := int64(w.world.Spheres.PaddedLen())
	w.hitTest.Enter()
	timer := w.timers.Start("hit test", (4+2)*4*n, 16*n)
	sphere, distance = w.test.Closest(r, tracing.TMin, math.MaxFloat32)
	timer.Stop()
	w.hitTest.Leave()
	w.tests(w.world.Spheres.Len(), w.test.Candidates)
	return sphere, distance
}
