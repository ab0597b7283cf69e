package tree

import (
	"raysteps/beyond/tracing"
	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/step13"
)

// What is as in step 13.
type (
	Camera    = tracing.Camera
	Ray       = tracing.Ray
	RNG       = tracing.RNG
	SphereSoA = tracing.SphereSoA
	Vec3      = tracing.Vec3
)

// tMin keeps a scattered ray from hitting the surface that it starts on.
const tMin = tracing.TMin

// Tracer renders one scene. Several calls of Render may run at a time.
type Tracer struct {
	*step13.Tracer
	camera scene.Camera
	world  *World
}

// World is that of step 13, with a tree of its spheres if there are many.
type World struct {
	tracing.World
	tree *tree
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	world := &World{World: *tracing.NewWorld(s)}
	if world.Spheres.Len() > few() {
		world.tree = newTree(&world.Spheres)
	}
	return &Tracer{step13.New(s), s.Camera, world}
}

// Kernel names what searches the spheres: the loop of step 13, or the walk of the tree.
func (t *Tracer) Kernel() string {
	if t.world.tree == nil {
		return t.Tracer.Kernel()
	}
	return walkKernel()
}

// Render fills the film and returns the number of rays that it traced: camera
// rays and scattered ones. The size is the film's; width and height of the
// settings do not count. The same film and settings give the same picture and
// number every time, whatever the number of workers.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	if t.world.tree == nil {
		return t.Tracer.Render(f, s)
	}
	test := func() tracing.HitTest { return newSearch(t.world) }
	return (&tracing.Tracer{Camera: t.camera, World: &t.world.World, NewHitTest: test}).Tiles(f, s)
}
