package step13

import (
	"math"
	"sync"
	"sync/atomic"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/scene"
)

// tMin keeps a scattered ray from hitting the surface that it starts on.
const tMin = 0.001

// Tracer renders one scene. Several calls of Render may run at a time.
type Tracer struct {
	camera scene.Camera
	world  *World
}

// worker is one goroutine of a render. The camera and the world are shared, and
// only read.
type worker struct {
	camera  *Camera
	world   *World
	rng     RNG
	bounces int
	rays    int64
	// The ray that is followed. It is here and not local to color because a pointer
	// that is passed to an interface's method escapes: the compiler would allocate
	// it on the heap for every ray.
	ray Ray
	// The hit test of the spheres in the world.
	test *HitTest
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	world := new(World)
	for _, sphere := range s.Spheres {
		world.Spheres.Append(Sphere{
			Center:    vec3(sphere.Center),
			RadiusSq:  float32(sphere.Radius * sphere.Radius),
			InvRadius: 1 / sphere.Radius,
			Material:  newMaterial(&sphere.Material),
		})
	}
	return &Tracer{camera: s.Camera, world: world}
}

// Render fills the film and returns the number of rays that it traced: camera
// rays and scattered ones. The size is the film's; width and height of the
// settings do not count. The same film and settings give the same picture and
// number every time, whatever the number of workers.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	camera := NewCamera(&t.camera, float32(f.Width)/float32(f.Height))
	tiles := tilesOf(f.Width, f.Height, tileSize)
	taken := mem.NewIsolated[atomic.Int64]() // number of tiles that workers have taken
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
				w.rng = TileRNG(tile)
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
	w.camera, w.world, w.bounces, w.test = camera, world, s.Bounces, NewHitTest(&world.Spheres)
	return w
}

// render fills a tile. The film is a window: it hands out the pixels of the tile, and
// its width and height are those of the whole picture.
func (w *worker) render(f *film.Film, s common.Settings) {
	width, height := float32(f.Width), float32(f.Height)
	invWidth, invHeight := 1/width, 1/height
	samples := float32(s.Samples)
	for x, y := range f.Pixels() {
		var sum Vec3
		for range s.Samples {
			at := w.rng.InCube() // z is not used
			u := (float32(x) + 0.5*(at.X+1)) * invWidth
			v := (float32(y) + 0.5*(at.Y+1)) * invHeight
			w.ray = w.camera.Ray(u, v, &w.rng)
			sum = sum.Add(w.color(&w.ray, 0))
		}
		f.SetMean(x, y, sum.X/samples, sum.Y/samples, sum.Z/samples)
	}
}

// color returns the light that comes along a ray after so many bounces. It
// reuses r for the scattered ray.
func (w *worker) color(r *Ray, depth int) Vec3 {
	w.rays++
	closest, distance := w.test.Closest(r, tMin, math.MaxFloat32)
	if closest < 0 {
		return sky(r)
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

// sky blends from white straight down to blue straight up. It is the only
// light.
func sky(r *Ray) Vec3 {
	t := 0.5 * (r.Direction.Y + 1)
	return Vec3{1, 1, 1}.Scale(1 - t).Add(Vec3{0.5, 0.7, 1}.Scale(t))
}
