package step08

import (
	"math"
	"testing"

	"raysteps/common/scene"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench FirstPass ./step08

// BenchmarkFirstPass computes the discriminants of 484 spheres; an operation
// is a ray. The dot products are calls or written out, and the ray is read
// through its pointer or from local variables.
func BenchmarkFirstPass(b *testing.B) {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	c := columnsOf(New(s).world)
	for _, tt := range []struct {
		name string
		pass func(c *columns, r *Ray)
	}{
		{"dot=call/ray=pointer", called},
		{"dot=written-out/ray=pointer", writtenOut},
		{"dot=call/ray=local", calledLocal},
		{"dot=written-out/ray=local", writtenOutLocal},
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

// columns is what a first pass reads and writes, all of one length.
type columns struct {
	cx, cy, cz    []float32
	radii         []float32
	discriminants []float32
}

func columnsOf(w *World) *columns {
	return &columns{
		cx: w.Spheres.CenterX(), cy: w.Spheres.CenterY(), cz: w.Spheres.CenterZ(),
		radii: w.Spheres.Radius(), discriminants: make([]float32, w.Spheres.Len()),
	}
}

// slices returns the columns in a way that leaves no bounds checks.
func (c *columns) slices() (cx, cy, cz, radii, discriminants []float32) {
	n := len(c.cx)
	return c.cx[:n], c.cy[:n], c.cz[:n], c.radii[:n], c.discriminants[:n]
}

func called(in *columns, r *Ray) {
	cx, cy, cz, radii, discriminants := in.slices()
	for i := range cx {
		oc := r.Origin.Sub(Vec3{cx[i], cy[i], cz[i]})
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
}

func calledLocal(in *columns, r *Ray) {
	cx, cy, cz, radii, discriminants := in.slices()
	origin, direction := r.Origin, r.Direction
	for i := range cx {
		oc := origin.Sub(Vec3{cx[i], cy[i], cz[i]})
		a := direction.Dot(direction)
		b := oc.Dot(direction)
		c := oc.Dot(oc) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
}

func writtenOut(in *columns, r *Ray) {
	cx, cy, cz, radii, discriminants := in.slices()
	for i := range cx {
		ocx := r.Origin.X - cx[i]
		ocy := r.Origin.Y - cy[i]
		ocz := r.Origin.Z - cz[i]
		a := float32(r.Direction.X*r.Direction.X) + float32(r.Direction.Y*r.Direction.Y) + float32(r.Direction.Z*r.Direction.Z)
		b := float32(ocx*r.Direction.X) + float32(ocy*r.Direction.Y) + float32(ocz*r.Direction.Z)
		c := float32(ocx*ocx) + float32(ocy*ocy) + float32(ocz*ocz) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
}

func writtenOutLocal(in *columns, r *Ray) {
	cx, cy, cz, radii, discriminants := in.slices()
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	for i := range cx {
		ocx := ox - cx[i]
		ocy := oy - cy[i]
		ocz := oz - cz[i]
		a := float32(dx*dx) + float32(dy*dy) + float32(dz*dz)
		b := float32(ocx*dx) + float32(ocy*dy) + float32(ocz*dz)
		c := float32(ocx*ocx) + float32(ocy*ocy) + float32(ocz*ocz) - float32(radii[i]*radii[i])
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
		for p, pass := range []func(*columns, *Ray){called, calledLocal, writtenOut, writtenOutLocal} {
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
