package wavefront

import (
	"sync"
	"sync/atomic"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/scene"
)

// Tracer renders one scene. Several calls of Render may run at a time.
type Tracer struct {
	camera   scene.Camera
	spheres  spheres
	lens     *lens
	distance float32 // from the origin of the coordinates, within which all rays start
	touching bool    // a surface is so near to the lens that camera rays may not hit it
	surfaces surfaces
	form     *form
	live     int    // rays under way, for each worker
	seed     uint32 // another one makes another picture, with other noise
	// The memory of workers is too much to clear for every small picture.
	idle sync.Pool // of *worker
}

// live is a good number of rays. Their columns take 100 bytes each and lie in the
// second-level cache. An eighth would do, too.
const live = 4096

// New builds the form of a scene that the search needs. The scene stays
// unchanged.
func New(s *scene.Scene) *Tracer {
	all := sorted(s.Spheres)
	t := &Tracer{camera: s.Camera, lens: newLens(&s.Camera, all), surfaces: newSurfaces(all)}
	t.form, t.live = best(), live
	// All rays start within this distance of the origin of the coordinates, at
	// the lens or on a sphere.
	distance := vec3(s.Camera.From).Length() + s.Camera.Aperture
	for _, sphere := range all {
		distance = max(distance, vec3(sphere.Center).Length()+abs(sphere.Radius))
	}
	for i := range all {
		gap := vec3(all[i].Center).Sub(vec3(s.Camera.From)).Length() - abs(all[i].Radius)
		t.touching = t.touching || abs(gap) <= s.Camera.Aperture/2+2*tMin+distance/(1<<20)
	}
	t.spheres = *newSpheres(len(all))
	c := &t.spheres
	for i := range all {
		center, radius := vec3(all[i].Center), all[i].Radius
		c.cx, c.cy, c.cz = append(c.cx, center.X), append(c.cy, center.Y), append(c.cz, center.Z)
		c.reach = append(c.reach, reach(center, radius, distance))
		c.radiusSq = append(c.radiusSq, float32(radius*radius))
	}
	t.spheres.all = len(s.Spheres) <= few
	t.distance = distance
	return t
}

// Kernel names the form that computes the picture: avx512, avx2 or plain.
func (t *Tracer) Kernel() string { return t.form.name }

// Render fills the film on as many goroutines as the settings say, and returns
// the number of rays that they traced: camera rays and scattered ones. The size is
// the film's; width and height of the settings do not count. The same film, samples
// and bounces give the same picture and number every time, whatever the number of
// workers.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	q := &queue{taken: mem.NewIsolated[atomic.Int64]()}
	for _, part := range f.Rectangles() {
		q.tiles = append(q.tiles, tilesOf(part)...)
	}
	camera := NewCamera(&t.camera, f.Width, f.Height)
	workers := make([]*worker, min(s.Workers, len(q.tiles)))
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			w, ok := t.idle.Get().(*worker)
			if !ok {
				w = newWorker(t)
			}
			workers[i] = w
			w.run(f, camera, q, s)
		})
	}
	wg.Wait()
	rays := int64(0)
	for _, w := range workers {
		rays += w.rays
		w.film = nil
		t.idle.Put(w)
	}
	return rays
}
