package step07

import (
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench FirstPass ./step07

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

type loop = steptest.Loop[Ray, [484]float32]

// passes compute the discriminants of 484 spheres. The centers are a column of vectors, as
// in the step before, or three of numbers, and the results are cut to the length of the
// columns, or are not and have their index checked. The first one is that of World.Hit.
func passes() []loop {
	world := New(scene.Large()).world
	c := columnsOf(world)
	loops := []loop{{Hit: func(r *Ray, tMin, tMax float32, out *[484]float32) bool {
		world.Hit(r, tMin, tMax, new(HitRecord), out[:])
		return true
	}}}
	for _, form := range []struct {
		name string
		pass func(c *columns, r *Ray)
	}{
		{"centers=vectors/resliced=no", vectors},
		{"centers=numbers/resliced=no", numbers},
		{"centers=numbers/resliced=yes", numbersResliced},
	} {
		loops = append(loops, loop{Name: form.name, Hit: func(r *Ray, _, _ float32, out *[484]float32) bool {
			c.discriminants = out[:]
			form.pass(c, r)
			return true
		}})
	}
	return loops
}

// BenchmarkFirstPass: an operation is a ray.
func BenchmarkFirstPass(b *testing.B) { steptest.BenchLoops(b, rays, passes()[1:]) }

func TestFirstPass(t *testing.T) { steptest.SameHits(t, rays, passes()) }

// columns is what a first pass reads and writes.
type columns struct {
	centers       []Vec3
	cx, cy, cz    []float32
	radii         []float32
	discriminants []float32
}

func columnsOf(w *World) *columns {
	c := &columns{
		cx: w.Spheres.CenterX(), cy: w.Spheres.CenterY(), cz: w.Spheres.CenterZ(),
		radii: w.Spheres.Radius(),
	}
	for i := range c.cx {
		c.centers = append(c.centers, Vec3{c.cx[i], c.cy[i], c.cz[i]})
	}
	return c
}

func vectors(in *columns, r *Ray) {
	centers, discriminants := in.centers, in.discriminants
	radii := in.radii[:len(centers)]
	for i := range centers {
		oc := r.Origin.Sub(centers[i])
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
}

func numbers(in *columns, r *Ray) {
	cx, discriminants := in.cx, in.discriminants
	cy, cz, radii := in.cy[:len(cx)], in.cz[:len(cx)], in.radii[:len(cx)]
	for i := range cx {
		oc := r.Origin.Sub(Vec3{cx[i], cy[i], cz[i]})
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
}

func numbersResliced(in *columns, r *Ray) {
	cx, discriminants := in.cx, in.discriminants
	cy, cz, radii := in.cy[:len(cx)], in.cz[:len(cx)], in.radii[:len(cx)]
	discriminants = discriminants[:len(cx)]
	for i := range cx {
		oc := r.Origin.Sub(Vec3{cx[i], cy[i], cz[i]})
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
}
