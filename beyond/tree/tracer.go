package tree

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
	Ray       = step13.Ray
	RNG       = step13.RNG
	SphereSoA = step13.SphereSoA
	Vec3      = step13.Vec3
)

// tMin keeps a scattered ray from hitting the surface that it starts on.
const tMin = 0.001

// Tracer renders one scene. Several calls of Render may run at a time.
type Tracer struct {
	*step13.Tracer
	camera scene.Camera
	world  *World
}

// World is that of step 13, with a tree of its spheres if there are many.
type World struct {
	step13.World
	tree *tree
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
	pass *search
	// The attenuations along a path, one a bounce.
	attenuations []Vec3
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	loop := step13.New(s)
	world := &World{World: *loop.World()}
	if world.Spheres.Len() > few() {
		world.tree = newTree(&world.Spheres)
	}
	return &Tracer{loop, s.Camera, world}
}

// Render fills the film and returns the number of rays that it traced: camera
// rays and scattered ones. The size is the film's; width and height of the
// settings do not count. The same film and settings give the same picture and
// number every time, whatever the number of workers.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	if t.world.tree == nil {
		return t.Tracer.Render(f, s)
	}
	camera := step13.NewCamera(&t.camera, float32(f.Width)/float32(f.Height))
	tiles := step13.Tiles(f.Width, f.Height)
	taken := mem.NewIsolated[atomic.Int64]() // tiles
	workers := make([]*worker, min(s.Workers, len(tiles)))
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			w := newWorker(&camera, t.world, s)
			workers[i] = w
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
	w.camera, w.world, w.pass = camera, world, newSearch(world)
	w.attenuations = mem.Isolated[Vec3](s.Bounces)
	return w
}

// render fills a tile, which is a window of the film.
func (w *worker) render(f *film.Film, s common.Settings) {
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
			sum = sum.Add(w.color(ray))
		}
		f.SetMean(x, y, sum.X/samples, sum.Y/samples, sum.Z/samples)
	}
}

// color returns the light that comes along a ray.
func (w *worker) color(r Ray) Vec3 {
	depth := 0
	for {
		w.rays++
		closest, distance := w.pass.closest(&r, tMin, math.MaxFloat32)
		if closest < 0 {
			break
		}
		hit := w.world.Hit(closest, &r, distance)
		if depth >= len(w.attenuations) {
			return Vec3{}
		}
		w.view.Discard() // it was made from random numbers that this bounce takes
		scattered, attenuation, ok := hit.Material.Scatter(&r, hit, &w.rng)
		if !ok {
			return Vec3{}
		}
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
