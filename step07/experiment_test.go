package step07

import (
	"math"
	"testing"

	"raysteps/common/scene"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench FirstPass ./step07

// BenchmarkFirstPass computes the discriminants of 484 spheres; an operation
// is a ray. The centers are a column of vectors, as in the step before, or three
// of numbers, and the results are cut to the length of the columns, or are not
// and have their index checked.
func BenchmarkFirstPass(b *testing.B) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	c := columnsOf(New(s).world)
	for _, tt := range []struct {
		name string
		pass func(c *columns, r *Ray)
	}{
		{"centers=vectors/resliced=no", vectors},
		{"centers=vectors/resliced=yes", vectorsResliced},
		{"centers=numbers/resliced=no", numbers},
		{"centers=numbers/resliced=yes", numbersResliced},
	} {
		b.Run(tt.name, func(b *testing.B) {
			rng := seed
			ray := new(Ray)
			for b.Loop() {
				*ray = camera.Ray(rng.Float32(), rng.Float32(), &rng)
				tt.pass(c, ray)
			}
		})
	}
}

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
		radii: w.Spheres.Radius(), discriminants: make([]float32, w.Spheres.Len()),
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

func vectorsResliced(in *columns, r *Ray) {
	centers, discriminants := in.centers, in.discriminants
	radii := in.radii[:len(centers)]
	discriminants = discriminants[:len(centers)]
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

// TestFirstPass holds the four loops to the discriminants of World.Hit.
func TestFirstPass(t *testing.T) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	world := New(s).world
	c := columnsOf(world)
	want := make([]float32, world.Spheres.Len())
	rng := seed
	for range 100 {
		r := camera.Ray(rng.Float32(), rng.Float32(), &rng)
		world.Hit(&r, tMin, math.MaxFloat32, new(HitRecord), want)
		for p, pass := range []func(*columns, *Ray){vectors, vectorsResliced, numbers, numbersResliced} {
			clear(c.discriminants)
			pass(c, &r)
			for i := range want {
				if c.discriminants[i] != want[i] {
					t.Fatalf("pass %d, sphere %d: %v; want %v", p, i, c.discriminants[i], want[i])
				}
			}
		}
	}
}
