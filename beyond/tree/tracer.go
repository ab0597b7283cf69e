package tree

import (
	"context"
	"fmt"
	"image"
	"math"
	"runtime/debug"
	"sync"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/instrument"
	"raysteps/common/mem"
	"raysteps/common/scene"
)

// tMin keeps a scattered ray from hitting the surface that it starts on.
const tMin = 0.001

// Tracer renders one scene. Several calls of Render may run at a time.
type Tracer struct {
	camera scene.Camera
	world  *World
	tile   image.Point // sides of a tile in pixels
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	var spheres []Sphere
	for _, sphere := range s.Spheres {
		spheres = append(spheres, Sphere{
			Center:   vec3(sphere.Center),
			RadiusSq: float32(sphere.Radius * sphere.Radius),
			Surface:  Surface{vec3(sphere.Center), 1 / sphere.Radius, newMaterial(&sphere.Material)},
		})
	}
	return &Tracer{camera: s.Camera, world: newWorld(spheres), tile: image.Pt(tileSize, tileSize)}
}

// Render is RenderContext without an end before the end. It panics if a worker
// does.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	rays, err := t.RenderContext(context.Background(), f, s)
	if err != nil {
		panic(err)
	}
	return rays
}

// RenderContext fills the film on as many goroutines as the settings say, and
// returns the number of rays that they traced: camera rays and scattered ones.
// The size is the film's; width and height of the settings do not count. The
// same film, samples and bounces give the same picture and number every time,
// whatever the number of workers.
//
// If the context is done, each worker finishes its tile, and the error wraps
// the cause and says how many tiles are finished. If a worker panics, the error
// is a *TileError. When RenderContext returns, its goroutines have ended.
func (t *Tracer) RenderContext(ctx context.Context, f *film.Film, s common.Settings) (int64, error) {
	tiles := newTiling(f.Width, f.Height, t.tile)
	q := &queue{tiles: tiles.len()}
	workers := make([]*worker, max(1, min(s.Workers, tiles.len())))
	var wg sync.WaitGroup
	for i := range workers {
		w := newWorker(t, f, &tiles, s)
		if instrument.On {
			w.measure(instrument.NewWorker(ctx, i))
		}
		workers[i] = w
		wg.Go(func() { w.run(ctx, q) })
	}
	wg.Wait()

	rays, finished := int64(0), 0
	var err error
	for _, w := range workers {
		rays += w.rays
		finished += w.finished
		if err == nil {
			err = w.err
		}
	}
	if err == nil && finished < tiles.len() {
		err = fmt.Errorf("ended after %d of %d tiles: %w", finished, tiles.len(), context.Cause(ctx))
	}
	return rays, err
}

// worker renders tiles, one at a time.
type worker struct {
	// What all workers read.
	world    *World
	camera   Camera
	film     *film.Film
	tiles    *tiling
	settings common.Settings
	// What this one writes.
	rng  RNG
	rays int64
	// What the search reads and writes.
	search *search
	// The attenuations along a path, one a bounce.
	attenuations []Vec3
	finished     int // tiles
	err          error
	// What it measures itself with. It is empty unless the program is built with
	// instruments.
	instruments instrument.Worker
	// The next worker's numbers begin in another cache line.
	_ [mem.Isolation]byte
}

func newWorker(t *Tracer, f *film.Film, tiles *tiling, s common.Settings) *worker {
	return &worker{
		world:        t.world,
		camera:       NewCamera(&t.camera, float32(f.Width)/float32(f.Height)),
		film:         f,
		tiles:        tiles,
		settings:     s,
		search:       newSearch(t.world),
		attenuations: mem.Isolated[Vec3](s.Bounces),
	}
}

// run renders tiles until there are no more or the context is done.
func (w *worker) run(ctx context.Context, q *queue) {
	tile, rendering := 0, false
	defer func() {
		if instrument.On {
			w.instruments.Close()
		}
		if !rendering {
			return
		}
		q.taken.Store(int64(q.tiles)) // no more for the others
		v := recover()
		if v == nil {
			v = "runtime.Goexit"
		}
		w.err = &TileError{tile, w.tiles.pixels(tile), v, debug.Stack()}
	}()
	for ctx.Err() == nil {
		if tile, rendering = q.take(); !rendering {
			return
		}
		w.render(tile)
		rendering = false
		w.finished++
	}
}

// render renders a tile.
func (w *worker) render(tile int) {
	w.rng = seeds(tile)
	pixels := w.tiles.pixels(tile)
	if instrument.On {
		w.instruments.BeginTile(pixels.Dx() * pixels.Dy())
	}
	w.pixels(pixels)
	if instrument.On {
		w.instruments.EndTile()
	}
	w.film.Done(pixels.Dx() * pixels.Dy())
}

// pixels renders a part of the picture, from the highest row down.
func (w *worker) pixels(r image.Rectangle) {
	invWidth, invHeight := 1/float32(w.film.Width), 1/float32(w.film.Height)
	samples := float32(w.settings.Samples)
	for y := r.Max.Y - 1; y >= r.Min.Y; y-- {
		for x := r.Min.X; x < r.Max.X; x++ {
			var sum Vec3
			for range w.settings.Samples {
				w.rng.FillPair()
				u, v := w.rng.Pair()
				ray := w.camera.Ray((u+float32(x))*invWidth, (v+float32(y))*invHeight, &w.rng)
				before := w.rays
				sum = sum.Add(w.color(ray))
				if instrument.On {
					w.instruments.Path(x, y, w.rays-before)
				}
			}
			w.film.SetMean(x, y, sum.X/samples, sum.Y/samples, sum.Z/samples)
		}
	}
}

// color returns the light that comes along a ray.
func (w *worker) color(r Ray) Vec3 {
	depth := 0
	for {
		w.rays++
		hit, ok := w.world.Hit(&r, tMin, math.MaxFloat32, w.search)
		if !ok {
			break
		}
		if instrument.On {
			w.instruments.Hit(hit.Material.Kind)
		}
		if depth >= len(w.attenuations) {
			return Vec3{}
		}
		scattered, attenuation, ok := hit.Material.Scatter(&r, hit, &w.rng)
		if !ok {
			return Vec3{}
		}
		if instrument.On {
			w.instruments.Scattered(hit.Material.Kind)
		}
		w.attenuations[depth] = attenuation
		depth++
		r = scattered
	}
	// From the sky back to the eye, as recursion would multiply: the other way
	// round the colors would be rounded differently.
	color := sky(&r)
	for depth > 0 {
		depth--
		color = w.attenuations[depth].Mul(color)
	}
	return color
}

// sky blends from white straight down to blue straight up. It is the only
// light.
func sky(r *Ray) Vec3 {
	t := 0.5 * (r.Direction.Y + 1)
	return Vec3{1, 1, 1}.Scale(1 - t).Add(Vec3{0.5, 0.7, 1}.Scale(t))
}
