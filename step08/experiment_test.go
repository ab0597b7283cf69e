package step08

import (
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench FirstPass ./step08

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

type loop = steptest.Loop[Ray, [484]float32]

// passes compute the discriminants of 484 spheres. The dot products are calls or written
// out, and the ray is read through its pointer or from local variables. The first one is
// that of World.Hit.
func passes() []loop {
	world := New(scene.Large()).world
	s := &world.Spheres
	c := &columns{s.CenterX(), s.CenterY(), s.CenterZ(), s.Radius()}
	return []loop{
		{Hit: func(r *Ray, tMin, tMax float32, out *[484]float32) bool {
			world.Hit(r, tMin, tMax, new(HitRecord), out[:])
			return true
		}},
		{Name: "dot=call/ray=pointer", Hit: c.called},
		{Name: "dot=written-out/ray=pointer", Hit: c.writtenOut},
		{Name: "dot=written-out/ray=local", Hit: c.writtenOutLocal},
	}
}

// BenchmarkFirstPass: an operation is a ray.
func BenchmarkFirstPass(b *testing.B) { steptest.BenchLoops(b, rays, passes()[1:]) }

func TestFirstPass(t *testing.T) { steptest.SameHits(t, rays, passes()) }

// columns is what a first pass reads, all of one length.
type columns struct{ cx, cy, cz, radii []float32 }

// slices returns the columns, and the results, in a way that leaves no bounds checks.
func (c *columns) slices(out *[484]float32) (cx, cy, cz, radii, discriminants []float32) {
	n := len(c.cx)
	return c.cx[:n], c.cy[:n], c.cz[:n], c.radii[:n], out[:n]
}

func (in *columns) called(r *Ray, _, _ float32, out *[484]float32) bool {
	cx, cy, cz, radii, discriminants := in.slices(out)
	for i := range cx {
		oc := r.Origin.Sub(Vec3{cx[i], cy[i], cz[i]})
		a := r.Direction.Dot(r.Direction)
		b := oc.Dot(r.Direction)
		c := oc.Dot(oc) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
	return true
}

func (in *columns) writtenOut(r *Ray, _, _ float32, out *[484]float32) bool {
	cx, cy, cz, radii, discriminants := in.slices(out)
	for i := range cx {
		ocx := r.Origin.X - cx[i]
		ocy := r.Origin.Y - cy[i]
		ocz := r.Origin.Z - cz[i]
		a := float32(r.Direction.X*r.Direction.X) +
			float32(r.Direction.Y*r.Direction.Y) + float32(r.Direction.Z*r.Direction.Z)
		b := float32(ocx*r.Direction.X) + float32(ocy*r.Direction.Y) + float32(ocz*r.Direction.Z)
		c := float32(ocx*ocx) + float32(ocy*ocy) + float32(ocz*ocz) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
	return true
}

func (in *columns) writtenOutLocal(r *Ray, _, _ float32, out *[484]float32) bool {
	cx, cy, cz, radii, discriminants := in.slices(out)
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
	return true
}
