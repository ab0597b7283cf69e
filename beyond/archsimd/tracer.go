package archsimd

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
	rays   int64
	// The attenuations along a path, one a bounce.
	attenuations []Vec3
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	return &Tracer{camera: s.Camera, world: newWorld(s.Spheres)}
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
	width, height := float32(f.Width), float32(f.Height)
	// Counted in half pixels, the middle of pixel x is at 2x + 1, and less than one
	// from there is still in it.
	invWidth, invHeight := 0.5/width, 0.5/height
	samples := float32(s.Samples)
	camera := NewCamera(&t.camera, width/height)
	for x, y := range f.Pixels() {
		var sum Vec3
		for range s.Samples {
			t.rng.FillPair()
			u, v := t.rng.Pair()
			ray := camera.Ray((u+float32(2*x+1))*invWidth, (v+float32(2*y+1))*invHeight, &t.rng)
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
		closest, distance := t.world.pass.closest(r, tMin, math.MaxFloat32)
		if closest < 0 {
			break
		}
		hit := t.world.hit(closest, r, distance)
		if depth >= len(t.attenuations) {
			return Vec3{}
		}
		scattered, attenuation, ok := hit.Material.Scatter(r, hit, &t.rng)
		if !ok {
			return Vec3{}
		}
		t.attenuations[depth] = attenuation
		depth++
		r = scattered
	}
	// From the sky back to the eye, as recursion would multiply: the other way
	// round the colors would be rounded differently.
	color := sky(r)
	for depth > 0 {
		depth--
		color = t.attenuations[depth].Mul(color)
	}
	return color
}

// sky blends from white straight down to blue straight up. It is the only
// light.
func sky(r Ray) Vec3 {
	t := 0.5 * (r.Direction.Y + 1)
	return Vec3{1, 1, 1}.Scale(1 - t).Add(Vec3{0.5, 0.7, 1}.Scale(t))
}
