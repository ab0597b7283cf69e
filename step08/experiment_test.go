package step08

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'FirstPass|Scale' ./step08

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
	c := &columns{world.Spheres.CenterX(), world.Spheres.CenterY(), world.Spheres.CenterZ(), world.Spheres.Radius()}
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
		a := float32(r.Direction.X*r.Direction.X) + float32(r.Direction.Y*r.Direction.Y) + float32(r.Direction.Z*r.Direction.Z)
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

// scaled is what the chapter's loop for other programs reads: two fields behind a pointer.
type scaled struct{ factor, offset float64 }

// The four forms of that loop: it adds what it computes, or stores it, and reads the fields in
// each iteration or from variables.

func (c *scaled) sum(in, _ []float64) (sum float64) {
	for _, x := range in {
		sum += x*c.factor + c.offset
	}
	return sum
}

func (c *scaled) sumLocal(in, _ []float64) (sum float64) {
	factor, offset := c.factor, c.offset
	for _, x := range in {
		sum += x*factor + offset
	}
	return sum
}

func (c *scaled) store(in, out []float64) float64 {
	out = out[:len(in)]
	for i, x := range in {
		out[i] = x*c.factor + c.offset
	}
	return 0
}

func (c *scaled) storeLocal(in, out []float64) float64 {
	factor, offset := c.factor, c.offset
	out = out[:len(in)]
	for i, x := range in {
		out[i] = x*factor + offset
	}
	return 0
}

// scales returns the forms by name.
func (c *scaled) scales() map[string]func(in, out []float64) float64 {
	return map[string]func(in, out []float64) float64{
		"loop=sum/fields=pointer": c.sum, "loop=sum/fields=local": c.sumLocal,
		"loop=store/fields=pointer": c.store, "loop=store/fields=local": c.storeLocal,
	}
}

// BenchmarkScale: an operation is a thousand numbers.
func BenchmarkScale(b *testing.B) {
	in, out, all := make([]float64, 1000), make([]float64, 1000), (&scaled{2, 1}).scales()
	for _, name := range []string{"loop=sum/fields=pointer", "loop=sum/fields=local", "loop=store/fields=pointer", "loop=store/fields=local"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				all[name](in, out)
			}
		})
	}
}

func TestScale(t *testing.T) {
	for name, run := range (&scaled{2, 1}).scales() {
		out := make([]float64, 3)
		sum := run([]float64{1, 2, 3}, out)
		if strings.Contains(name, "sum") {
			assert.Equal(t, 15., sum, name)
		} else {
			assert.Equal(t, []float64{3, 5, 7}, out, name)
		}
	}
}
