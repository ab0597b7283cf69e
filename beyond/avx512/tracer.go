package avx512

import (
	"raysteps/beyond/tracing"
	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/step12"
)

// wideFrom is from how many spheres on, with the padding, sixteen at a time are faster than
// eight. With fewer a scene is step 12's.
const wideFrom = 64

// Tracer renders one scene. One call of Render may run at a time.
type Tracer struct {
	narrow *step12.Tracer
	wide   *tracing.Tracer // nil if step 12's renders the scene
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	t := &Tracer{narrow: step12.New(s)}
	world := tracing.NewWorld(s)
	if hasAVX512 && world.Spheres.PaddedLen() >= wideFrom {
		t.wide = &tracing.Tracer{Camera: s.Camera, World: world, NewHitTest: func() tracing.HitTest {
			return newHitTest(&world.Spheres)
		}}
	}
	return t
}

// Render fills the film and returns the number of rays that it traced: camera
// rays and scattered ones. The size is the film's; width and height of the
// settings do not count. The same film and settings give the same picture and
// number every time.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	if t.wide == nil {
		return t.narrow.Render(f, s)
	}
	return t.wide.Rows(f, s)
}

// Kernel names what computes the hit test of many spheres: avx512, or what step 12 has.
func (t *Tracer) Kernel() string {
	if hasAVX512 {
		return "avx512"
	}
	return t.narrow.Kernel()
}
