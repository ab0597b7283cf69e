package tracing

import (
	"image"
	"math"

	"raysteps/common/scene"
	"raysteps/step13"
)

// NewWorld builds step 13's form of a scene, which stays unchanged.
func NewWorld(s *scene.Scene) *World {
	world := new(World)
	for _, sphere := range s.Spheres {
		world.Spheres.Append(step13.Sphere{
			Center:    Vec3{X: sphere.Center[0], Y: sphere.Center[1], Z: sphere.Center[2]},
			RadiusSq:  float32(sphere.Radius * sphere.Radius),
			InvRadius: 1 / sphere.Radius,
			Material:  newMaterial(&sphere.Material),
		})
	}
	return world
}

func newMaterial(m *scene.Material) step13.Material {
	albedo := Vec3{X: m.Albedo[0], Y: m.Albedo[1], Z: m.Albedo[2]}
	switch m.Kind {
	case scene.Metal:
		return &step13.Metal{Albedo: albedo, Fuzz: min(m.Fuzz, 1)}
	case scene.Dielectric:
		return &step13.Dielectric{Index: m.Index}
	default:
		return &step13.Lambertian{Albedo: albedo}
	}
}

// Seed12 returns where every render of step 12 starts.
func Seed12() RNG { return step13.NewRNG(1236787, 321, 789, 457) }

// Tiles divides a picture into the tiles of step 13.
func Tiles(width, height int) []image.Rectangle {
	const size = 32
	var tiles []image.Rectangle
	for y := 0; y < height; y += size {
		for x := 0; x < width; x += size {
			tiles = append(tiles, image.Rect(x, y, min(x+size, width), min(y+size, height)))
		}
	}
	return tiles
}

// Sky blends from white straight down to blue straight up. It is the only light.
func Sky(r *Ray) Vec3 {
	t := 0.5 * (r.Direction.Y + 1)
	return Vec3{X: 1, Y: 1, Z: 1}.Scale(1 - t).Add(Vec3{X: 0.5, Y: 0.7, Z: 1}.Scale(t))
}

// FMA returns x*y + z, rounded once, as step 12's fma does, which says how.
func FMA(x, y, z float32) float32 {
	p, w := float64(x)*float64(y), float64(z)
	s := p + w
	v := s - p
	e := (p - (s - v)) + (w - v)
	if bits := math.Float64bits(s); bits&1 == 0 && (e > 0 || e < 0) {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}
