//go:build ignore

package main

import (
	"math"
	"math/rand"

	"github.com/DheerendraRathor/GoTracer/models"
	"github.com/DheerendraRathor/GoTracer/tracer"
)

// The sky of GoTracer has one color. This is ours at the horizon.
var ambient = sky(0)

func prepare(sc *scene, s settings) func() (picture, float64) {
	spec := specification(sc, float64(s.width)/float64(s.height))
	spec.Image = models.ImageInput{Width: s.width, Height: s.height, Samples: s.samples}
	spec.Image.Patch = [4]int{0, s.height, 0, s.width}
	// It keeps two for itself.
	spec.Settings = models.Setting{RenderRoutines: s.workers + 2, RenderDepth: bounces}
	rays := count(spec.GetScene(), s)
	return func() (picture, float64) {
		out := tracer.GoTrace(spec, false, nil, false, nil)
		return func(x, y int) (c [3]float64) {
			for i, level := range out.Pixels[s.height-1-y][x].Color {
				v := (float64(level) + 0.5) / 255.99
				c[i] = v * v
			}
			return c
		}, rays
	}
}

// specification is what a file of GoTracer has of a scene.
func specification(sc *scene, aspect float64) *models.Specification {
	names := map[string]string{
		"lambertian": models.LambertianMaterial,
		"metal":      models.MetalMaterial,
		"dielectric": models.DielectricMaterial,
	}
	c, spec := sc.Camera, new(models.Specification)
	spec.Scene.AmbientLight = ambient
	spec.Scene.Camera = models.CameraInput{LookFrom: c.From, LookAt: c.At, UpVector: c.Up, FieldOfView: c.FOV,
		AspectRatio: aspect, Focus: c.Focus, Aperture: c.Aperture}
	for _, s := range sc.Spheres {
		surface := models.SurfaceInput{Type: names[s.Material], Albedo: s.Albedo}
		surface.Fuzz, surface.RefIndex = min(1, s.Fuzz), s.Index
		if s.Material == "dielectric" {
			surface.Albedo = [3]float64{1, 1, 1}
		}
		input := models.SphereInput{Center: s.Center, Radius: s.Radius, Surface: surface}
		spec.Scene.Objects.Spheres = append(spec.Scene.Objects.Spheres, input)
	}
	return spec
}

// count returns about how many rays a picture takes, as GoTracer does not count them: it follows
// paths of one in sixteen pixels by GoTracer's own camera, spheres and materials.
func count(sc *models.Scene, s settings) float64 {
	random, rays, every := rand.New(rand.NewSource(1)), 0, 4
	for y := 0; y < s.height; y += every {
		for x := 0; x < s.width; x += every {
			for range s.samples {
				u := (float64(x) + float64(every)*random.Float64()) / float64(s.width)
				v := (float64(y) + float64(every)*random.Float64()) / float64(s.height)
				ray := sc.Camera.RayAt(u, v, random)
				for depth := 0; ; depth++ {
					rays++
					hit, record := sc.HitableList.Hit(ray, 0.0001, math.MaxFloat64)
					if !hit || depth == bounces {
						break
					}
					on, _, scattered := record.Material.Scatter(ray, record, random)
					if !on {
						break
					}
					ray = scattered
				}
			}
		}
	}
	return float64(rays * every * every)
}
