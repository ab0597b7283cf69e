package avx512

import (
	"math"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/step12"
)

// What is as in step 12.
type (
	Camera = step12.Camera
	Ray    = step12.Ray
	RNG    = step12.RNG
	Vec3   = step12.Vec3
	World  = step12.World
)

// tMin keeps a scattered ray from hitting the surface that it starts on.
const tMin = 0.001

// wideFrom is from how many spheres on, with the padding, sixteen at a time are faster than
// eight. With fewer a scene is step 12's.
const wideFrom = 64

// Tracer renders one scene. One call of Render may run at a time.
type Tracer struct {
	*step12.Tracer
	camera scene.Camera
	world  *World
	rng    RNG
	view   step12.View
	rays   int64
	// What the first pass reads and writes.
	pass *step12.FirstPass
	// The attenuations along a path, one a bounce.
	attenuations []Vec3
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	narrow := step12.New(s)
	world := narrow.World()
	return &Tracer{Tracer: narrow, camera: s.Camera, world: world, pass: step12.NewFirstPass(&world.Spheres)}
}

// Render fills the film and returns the number of rays that it traced: camera
// rays and scattered ones. The size is the film's; width and height of the
// settings do not count. The same film and settings give the same picture and
// number every time.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	if t.world.Spheres.PaddedLen() < wideFrom {
		return t.Tracer.Render(f, s)
	}
	t.rng, t.rays = step12.Seeds(), 0
	if len(t.attenuations) != s.Bounces {
		t.attenuations = make([]Vec3, s.Bounces)
	}
	samples := float32(s.Samples)
	t.view = step12.NewView(step12.NewCamera(&t.camera, float32(f.Width)/float32(f.Height)), f.Width, f.Height)
	for x, y := range f.Pixels() {
		t.view.At(x, y)
		var sum Vec3
		for sample := range s.Samples {
			ray := t.view.Ray(&t.rng)
			if sample == s.Samples-1 {
				t.view.Right() // where the next ray will be, but at the end of a row
			}
			sum = sum.Add(t.color(ray))
		}
		f.SetMean(x, y, sum.X/samples, sum.Y/samples, sum.Z/samples)
	}
	return t.rays
}

// color returns the light that comes along a ray.
func (t *Tracer) color(r Ray) Vec3 {
	depth := 0
	for {
		t.rays++
		closest, distance := closest(t.pass, &r, tMin, math.MaxFloat32)
		if closest < 0 {
			break
		}
		hit := t.world.Hit(closest, &r, distance)
		if depth >= len(t.attenuations) {
			return Vec3{}
		}
		t.view.Discard() // it was made from random numbers that this bounce takes
		scattered, attenuation, ok := hit.Material.Scatter(&r, hit, &t.rng)
		if !ok {
			return Vec3{}
		}
		t.attenuations[depth] = attenuation
		depth++
		r = scattered
		// Whether r hits anything, nobody can predict. If it does not, the next ray is
		// there. Glass is met again from inside.
		if hit.Material.Kind != scene.Dielectric {
			t.view.Prepare(&t.rng)
		}
	}
	// From the sky back to the eye, as recursion would multiply: the other way
	// round the colors would be rounded differently.
	color := step12.Sky(&r)
	for depth > 0 {
		depth--
		color = t.attenuations[depth].Mul(color)
	}
	return color
}

// Kernel names what computes the hit test of many spheres: avx512, or what step 12 has.
func (t *Tracer) Kernel() string {
	if hasAVX512 {
		return "avx512"
	}
	return t.Tracer.Kernel()
}
