//go:build ignore

package main

import (
	"math"

	"github.com/fogleman/pt/pt"
)

func prepare(sc *scene, s settings) func() (picture, float64) {
	world := &pt.Scene{Texture: background{}}
	for _, s := range sc.Spheres {
		world.Add(pt.NewSphere(vector(s.Center), s.Radius, material(s)))
	}
	c := sc.Camera
	camera := pt.LookAt(vector(c.From), vector(c.At), vector(c.Up), c.FOV)
	ahead := vector(c.At).Sub(vector(c.From)).Normalize()
	camera.SetFocus(vector(c.From).Add(ahead.MulScalar(c.Focus)), c.Aperture/2)
	renderer := pt.NewRenderer(world, &camera, pt.NewSampler(1, bounces), s.width, s.height)
	renderer.SamplesPerPixel, renderer.NumCPU, renderer.Verbose = s.samples, s.workers, false
	return func() (picture, float64) {
		renderer.Render()
		return func(x, y int) [3]float64 {
			c := renderer.Buffer.Color(x, y)
			return [3]float64{c.R, c.G, c.B}
		}, float64(world.RayCount())
	}
}

func vector(v [3]float64) pt.Vector { return pt.Vector{X: v[0], Y: v[1], Z: v[2]} }

// material is what comes nearest: a cone instead of a ball blurs reflections.
func material(s sphere) pt.Material {
	color := pt.Color{R: s.Albedo[0], G: s.Albedo[1], B: s.Albedo[2]}
	switch s.Material {
	case "metal":
		return pt.MetallicMaterial(color, math.Asin(min(1, s.Fuzz)), 1)
	case "dielectric":
		return pt.ClearMaterial(s.Index, 0)
	}
	return pt.DiffuseMaterial(color)
}

// background is the sky as an image that pt looks up by angles.
type background struct{}

func (background) Sample(_, v float64) pt.Color {
	c := sky(math.Sin(v*math.Pi - math.Pi/2))
	return pt.Color{R: c[0], G: c[1], B: c[2]}
}

// The others are for images on surfaces.
func (background) NormalSample(_, _ float64) pt.Vector { return pt.Vector{} }
func (background) BumpSample(_, _ float64) pt.Vector   { return pt.Vector{} }
func (b background) Pow(float64) pt.Texture            { return b }
func (b background) MulScalar(float64) pt.Texture      { return b }
