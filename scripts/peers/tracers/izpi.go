//go:build ignore

package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/flynn-nrg/floatimage/floatimage"
	log "github.com/sirupsen/logrus"

	"github.com/flynn-nrg/izpi/internal/camera"
	"github.com/flynn-nrg/izpi/internal/fastrandom"
	"github.com/flynn-nrg/izpi/internal/hitable"
	"github.com/flynn-nrg/izpi/internal/hitrecord"
	"github.com/flynn-nrg/izpi/internal/material"
	"github.com/flynn-nrg/izpi/internal/ray"
	"github.com/flynn-nrg/izpi/internal/render"
	"github.com/flynn-nrg/izpi/internal/sampler"
	"github.com/flynn-nrg/izpi/internal/scatterrecord"
	izpi "github.com/flynn-nrg/izpi/internal/scene"
	"github.com/flynn-nrg/izpi/internal/vec3"
)

func prepare(sc *scene, s settings) func() (picture, float64) {
	var told bytes.Buffer // what it logs, at last its rays
	log.SetOutput(&told)
	var spheres []hitable.Hitable
	for _, s := range sc.Spheres {
		spheres = append(spheres, ball(s.Center, s.Radius, surface(s)))
	}
	// Around all is the sky, a light so far away that the camera seems to be in its center.
	const far = 1e6
	sky := hitable.NewFlipNormals(ball([3]float64{}, far, material.NewDiffuseLight(dome{})))
	world := hitable.NewSlice([]hitable.Hitable{hitable.NewBVH4(spheres, 0, 1), sky})
	c := sc.Camera
	aspect, black := float64(s.width)/float64(s.height), vec3.Vec3Impl{}
	from, at, up := vector(c.From), vector(c.At), vector(c.Up)
	view := camera.New(from, at, up, c.FOV, aspect, c.Aperture, c.Focus, 0, 1, 1)
	renderer := render.New(izpi.New(world, hitable.NewSlice(nil), view), s.width, s.height, s.samples,
		bounces+1, black, black, nil, s.workers, nil, false, nil, false, sampler.ColourSampler)
	return func() (picture, float64) {
		canvas := renderer.Render(context.Background()).(*floatimage.Float64NRGBA)
		_, text, _ := strings.Cut(told.String(), "Rendering completed")
		_, text, _ = strings.Cut(text, " using ")
		rays := 0.
		if _, err := fmt.Sscan(text, &rays); err != nil {
			log.Fatalf("izpi does not say how many rays it traced: %s", told.String())
		}
		return func(x, y int) [3]float64 {
			c := canvas.Float64NRGBAAt(x, min(s.height-1, y+1)) // it is a row too low, and the lowest is lost
			return [3]float64{c.R, c.G, c.B}
		}, rays
	}
}

func vector(v [3]float64) vec3.Vec3Impl { return vec3.Vec3Impl{X: v[0], Y: v[1], Z: v[2]} }

// ball is a sphere that does not move.
func ball(center [3]float64, radius float64, m material.Material) *hitable.Sphere {
	return hitable.NewSphere(vector(center), vector(center), 0, 1, radius, m)
}

// dome is the texture of the sky.
type dome struct{}

func (dome) Value(_, _ float64, p vec3.Vec3Impl) vec3.Vec3Impl { return vector(sky(p.Y / p.Length())) }

// surface is glass of izpi's, or a rough one of ours: its own matte material needs lights to
// sample, and its metal lets rays go on into the sphere.
func surface(s sphere) material.Material {
	switch s.Material {
	case "metal":
		return rough{material.NewMetal(vector(s.Albedo), 0), min(1, s.Fuzz), true}
	case "dielectric":
		return material.NewDielectric(s.Index)
	}
	return rough{material.NewMetal(vector(s.Albedo), 0), 1, false}
}

// rough scatters around a direction by a point of a ball, as our matte and our metal do: a
// mirror's, or the normal.
type rough struct {
	*material.Metal
	fuzz   float64
	mirror bool
}

func (r rough) Scatter(in ray.Ray, hit *hitrecord.HitRecord, random *fastrandom.LCG) (
	on *ray.RayImpl, how *scatterrecord.ScatterRecord, ok bool) {
	n, d := hit.Normal(), hit.Normal()
	if r.mirror {
		d = vec3.UnitVector(in.Direction())
		d = vec3.Sub(d, vec3.ScalarMul(n, 2*vec3.Dot(d, n)))
	}
	if r.fuzz > 0 {
		p := vec3.Vec3Impl{X: 1}
		for vec3.Dot(p, p) >= 1 {
			p.X, p.Y, p.Z = 2*random.Float64()-1, 2*random.Float64()-1, 2*random.Float64()-1
		}
		d = vec3.Add(d, vec3.ScalarMul(p, r.fuzz))
	}
	black := vec3.Vec3Impl{}
	on = ray.New(hit.P(), d, in.Time())
	how = scatterrecord.New(on, true, r.Albedo(0, 0, black), black, black, black, nil)
	return on, how, vec3.Dot(d, n) > 0
}
