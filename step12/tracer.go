package step12

import (
	"math"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// tMin keeps a scattered ray from hitting the surface that it starts on.
const tMin = 0.001

// Tracer renders one scene. One call of Render may run at a time.
type Tracer struct {
	camera scene.Camera
	world  *World
	rng    RNG
	view   View
	rays   int64
	// What the first pass reads and writes.
	pass *firstPass
	// The attenuations along a path, one a bounce.
	attenuations []Vec3
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	world := new(World)
	for _, sphere := range s.Spheres {
		world.Spheres.Append(Sphere{
			Center:   vec3(sphere.Center),
			RadiusSq: float32(sphere.Radius * sphere.Radius),
			Surface:  Surface{vec3(sphere.Center), 1 / sphere.Radius, newMaterial(&sphere.Material)},
		})
	}
	return &Tracer{camera: s.Camera, world: world, pass: newFirstPass(&world.Spheres)}
}

// Render fills the film and returns the number of rays that it traced: camera
// rays and scattered ones. The size is the film's; width and height of the
// settings do not count. The same film and settings give the same picture and
// number every time.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	t.rng, t.rays = seeds, 0
	if len(t.attenuations) != s.Bounces {
		t.attenuations = make([]Vec3, s.Bounces)
	}
	samples := float32(s.Samples)
	t.view = NewView(NewCamera(&t.camera, float32(f.Width)/float32(f.Height)), f.Width, f.Height)
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
		closest, distance := t.pass.closest(&r, tMin, math.MaxFloat32)
		if closest < 0 {
			break
		}
		hit := t.world.hit(closest, &r, distance)
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
	color := sky(&r)
	for depth > 0 {
		depth--
		color = t.attenuations[depth].Mul(color)
	}
	return color
}

// sky blends from white straight down to blue straight up. It is the only
// light.
func sky(r *Ray) Vec3 {
	t := 0.5 * (r.Direction.Y + 1)
	white := 1 - t
	return Vec3{white + float32(0.5*t), white + float32(0.7*t), white + t}
}
