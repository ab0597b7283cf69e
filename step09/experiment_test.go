package step09

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Operation|FirstPass|Unit' ./step09

// operations is how many float32 operations an operation of BenchmarkOperation
// is made of.
const operations = 800

// BenchmarkOperation times the operations of float32. In a chain each needs the result of
// the one before, which gives the latency; eight chains side by side give the throughput.
func BenchmarkOperation(b *testing.B) {
	for op, name := range []string{"multiply", "divide", "sqrt"} {
		for i, run := range []func(op int, x *[8]float32){oneChain, eightChains} {
			b.Run(fmt.Sprintf("operation=%s/chains=%s", name, []string{"one", "eight"}[i]), func(b *testing.B) {
				x := [8]float32{1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8}
				for b.Loop() {
					run(op, &x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/operations, "ns/operation")
			})
		}
	}
}

// The chains keep their values near 1, where no operation is slow for the sake of its
// operands. What is multiplied is read from x, since the compiler would leave out a
// multiplication by 1. The jump on op goes the same way each time, and nothing waits for it.

func oneChain(op int, x *[8]float32) {
	a, y := x[0], x[1]
	z := 1 / y
	for range operations / 2 {
		switch op {
		case 0:
			a = a * y * z
		case 1:
			a = a / y / z
		default:
			a = sqrt(sqrt(a))
		}
	}
	x[0] = a
}

func eightChains(op int, x *[8]float32) {
	a, b, c, d, e, f, g, h := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	y := a
	z := 1 / y
	for range operations / 16 {
		switch op {
		case 0:
			a, b, c, d, e, f, g, h = a*y, b*y, c*y, d*y, e*y, f*y, g*y, h*y
			a, b, c, d, e, f, g, h = a*z, b*z, c*z, d*z, e*z, f*z, g*z, h*z
		case 1:
			a, b, c, d, e, f, g, h = a/y, b/y, c/y, d/y, e/y, f/y, g/y, h/y
			a, b, c, d, e, f, g, h = a/z, b/z, c/z, d/z, e/z, f/z, g/z, h/z
		default:
			a, b, c, d = sqrt(sqrt(a)), sqrt(sqrt(b)), sqrt(sqrt(c)), sqrt(sqrt(d))
			e, f, g, h = sqrt(sqrt(e)), sqrt(sqrt(f)), sqrt(sqrt(g)), sqrt(sqrt(h))
		}
	}
	*x = [8]float32{a, b, c, d, e, f, g, h}
}

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// passes compute discriminants. They take the way from the loop before to this one apart:
// the coefficient a is computed for every sphere, or once a ray; or it is 1, and the square
// of the radius is stored.
func (c *columns) passes() []steptest.Loop[Ray, [484]float32] {
	return []steptest.Loop[Ray, [484]float32]{
		{Name: "a=per-sphere/square=computed", Hit: c.aAndRadius},
		{Name: "a=per-ray/square=computed", Hit: c.aPerRay},
		{Name: "a=one/square=stored", Hit: c.neither},
	}
}

// BenchmarkFirstPass: there are 484 spheres, and an operation is a ray.
func BenchmarkFirstPass(b *testing.B) {
	steptest.BenchLoops(b, rays, columnsOf(New(scene.Large()).world).passes())
}

// columns is what a first pass reads, all of one length.
type columns struct{ cx, cy, cz, radii, radiiSq []float32 }

func columnsOf(w *World) *columns {
	s := &w.Spheres
	c := &columns{cx: s.CenterX(), cy: s.CenterY(), cz: s.CenterZ(), radiiSq: s.RadiusSq()}
	for _, sq := range c.radiiSq {
		c.radii = append(c.radii, sqrt(sq))
	}
	return c
}

// slices returns the columns, with these radii, and the results, in a way that leaves no
// bounds checks.
func (c *columns) slices(radii []float32, out *[484]float32) (cx, cy, cz, r, discriminants []float32) {
	n := len(c.cx)
	return c.cx[:n], c.cy[:n], c.cz[:n], radii[:n], out[:n]
}

func (in *columns) aAndRadius(r *Ray, _, _ float32, out *[484]float32) bool {
	cx, cy, cz, radii, discriminants := in.slices(in.radii, out)
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	for i := range cx {
		ocx, ocy, ocz := ox-cx[i], oy-cy[i], oz-cz[i]
		a := float32(dx*dx) + float32(dy*dy) + float32(dz*dz)
		b := float32(ocx*dx) + float32(ocy*dy) + float32(ocz*dz)
		c := float32(ocx*ocx) + float32(ocy*ocy) + float32(ocz*ocz) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
	return true
}

func (in *columns) aPerRay(r *Ray, _, _ float32, out *[484]float32) bool {
	cx, cy, cz, radii, discriminants := in.slices(in.radii, out)
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	a := float32(dx*dx) + float32(dy*dy) + float32(dz*dz)
	for i := range cx {
		ocx, ocy, ocz := ox-cx[i], oy-cy[i], oz-cz[i]
		b := float32(ocx*dx) + float32(ocy*dy) + float32(ocz*dz)
		c := float32(ocx*ocx) + float32(ocy*ocy) + float32(ocz*ocz) - float32(radii[i]*radii[i])
		discriminants[i] = float32(b*b) - float32(a*c)
	}
	return true
}

func (in *columns) neither(r *Ray, _, _ float32, out *[484]float32) bool {
	cx, cy, cz, radiiSq, discriminants := in.slices(in.radiiSq, out)
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	for i := range cx {
		ocx, ocy, ocz := ox-cx[i], oy-cy[i], oz-cz[i]
		b := float32(ocx*dx) + float32(ocy*dy) + float32(ocz*dz)
		c := float32(ocx*ocx) + float32(ocy*ocy) + float32(ocz*ocz) - radiiSq[i]
		discriminants[i] = float32(b*b) - c
	}
	return true
}

// BenchmarkUnit computes the discriminants of n spheres for one ray after the other, each
// of which starts when the last discriminant of the one before is there, as on a path. Its
// direction is any, and the loop that of the step before; or a unit vector is made of it
// first, and the loop is that of this step. An operation is a ray.
func BenchmarkUnit(b *testing.B) {
	all := columnsOf(New(scene.Large()).world)
	for _, n := range []int{1, 2, 5, 10, 20, 50, 100, 200, 484} {
		c := &columns{all.cx[:n], all.cy[:n], all.cz[:n], all.radii[:n], all.radiiSq[:n]}
		out := new([484]float32)
		// nothing returns 0 when the last discriminant is known.
		nothing := func() float32 { return math.Float32frombits(math.Float32bits(out[n-1]) & none) }
		b.Run(fmt.Sprintf("direction=any/n=%d", n), func(b *testing.B) {
			ray := &Ray{Origin: Vec3{13, 2, 3}}
			for b.Loop() {
				ray.Direction = Vec3{-13, -2, -3 + nothing()}
				c.aAndRadius(ray, 0, 0, out)
			}
		})
		b.Run(fmt.Sprintf("direction=unit/n=%d", n), func(b *testing.B) {
			ray := &Ray{Origin: Vec3{13, 2, 3}}
			for b.Loop() {
				ray.Direction = Vec3{-13, -2, -3 + nothing()}.Unit()
				c.neither(ray, 0, 0, out)
			}
		})
	}
}

// none is 0, which no compiler knows.
var none uint32

// TestFirstPass holds the loop of this step to World.Hit. The others round
// otherwise: the terms of a discriminant are as large as the squared radius and
// the squared distance, which is below 1000 but for the ground.
func TestFirstPass(t *testing.T) {
	world, next := New(scene.Large()).world, rays()
	c := columnsOf(world)
	for range 100 {
		r := next()
		var want [484]float32
		world.Hit(&r, tMin, math.MaxFloat32, new(HitRecord), want[:])
		for _, pass := range c.passes() {
			tolerance := 0.
			if pass.Name != "a=one/square=stored" {
				tolerance = 1e-5
			}
			var got [484]float32
			pass.Hit(&r, 0, 0, &got)
			for i := range got {
				require.InDelta(t, want[i], got[i], tolerance*float64(c.radiiSq[i]+1000), "%s, sphere %d", pass.Name, i)
			}
		}
	}
}
