package step02

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
	camera  scene.Camera
	world   Hittable
	rng     RNG
	bounces int
	rays    int64
	// The ray that is followed and its latest hit. They are here and not local
	// to color because a pointer that is passed to an interface's method
	// escapes: the compiler would allocate both on the heap for every ray.
	ray Ray
	hit HitRecord
}

// New builds the step's form of a scene, which stays unchanged.
func New(s *scene.Scene) *Tracer {
	world := new(List)
	for _, sp := range s.Spheres {
		world.Items = append(world.Items, &Sphere{vec3(sp.Center), sp.Radius, newMaterial(&sp.Material)})
	}
	return &Tracer{camera: s.Camera, world: world}
}

// Render fills the film and returns the number of rays that it traced: camera
// rays and scattered ones. The size is the film's; width and height of the
// settings do not count. The same film and settings give the same picture and
// number every time.
func (t *Tracer) Render(f *film.Film, s common.Settings) int64 {
	t.rng, t.rays, t.bounces = seed, 0, s.Bounces
	width, height := float32(f.Width), float32(f.Height)
	camera := NewCamera(&t.camera, width/height)
	for x, y := range f.Pixels() {
		var sum Vec3
		for range s.Samples {
			u := (float32(x) + t.rng.Float32()) / width
			v := (float32(y) + t.rng.Float32()) / height
			t.ray = camera.Ray(u, v, &t.rng)
			sum = sum.Add(t.color(&t.ray, 0))
		}
		f.Set(x, y, sum.X, sum.Y, sum.Z, s.Samples)
	}
	return t.rays
}

// color returns the light that comes along a ray after so many bounces. It
// reuses r for the scattered ray.
func (t *Tracer) color(r *Ray, depth int) Vec3 {
	t.rays++
	if !t.world.Hit(r, tMin, math.MaxFloat32, &t.hit) {
		return sky(r)
	}
	if depth >= t.bounces {
		return Vec3{}
	}
	scattered, attenuation, ok := t.hit.Material.Scatter(r, &t.hit, &t.rng)
	if !ok {
		return Vec3{}
	}
	*r = scattered
	return attenuation.Mul(t.color(r, depth+1))
}

// sky blends from white straight down to blue straight up. It is the only
// light.
func sky(r *Ray) Vec3 {
	t := 0.5 * (r.Direction.Unit().Y + 1)
	return Vec3{1, 1, 1}.Scale(1 - t).Add(Vec3{0.5, 0.7, 1}.Scale(t))
}
