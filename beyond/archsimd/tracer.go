package archsimd

import (
	"raysteps/beyond/tracing"
	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// What is as in step 12.
type (
	Ray   = tracing.Ray
	World = tracing.World
)

// Tracer renders one scene. One call of Render may run at a time.
type Tracer struct {
	tracing.Tracer
	kernel kernel
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	world, kernel := tracing.NewWorld(s), best()
	test := func() tracing.HitTest { return newHitTest(world, kernel) }
	return &Tracer{tracing.Tracer{Camera: s.Camera, World: world, NewHitTest: test}, kernel}
}

// Render fills the film and returns the number of rays that it traced: camera
// rays and scattered ones. The size is the film's; width and height of the
// settings do not count. The same film and settings give the same picture and
// number every time.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 { return t.Rows(f, s) }
