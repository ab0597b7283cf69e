package step13

import (
	"math"
	"testing"
	"unsafe"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

var suite = kerneltest.Suite{
	Kernels: []kerneltest.Kernel{
		{Name: "generic", Lanes: 1, Align: 4, Bind: kerneltest.Bind(closestGeneric)},
		{Name: kernel, Lanes: 8, Align: 4, Bind: kerneltest.Bind((*firstPass).closest), Missing: !hasKernel},
	},
	Padding: 8,
	Fused:   true,
	Columns: func(spheres []kerneltest.Sphere) kerneltest.Pass {
		return *(*kerneltest.Pass)(unsafe.Pointer(newFirstPass(&worldOf(spheres).Spheres)))
	},
	Hit: func(t testing.TB, spheres []kerneltest.Sphere) func(*kerneltest.Ray) (int, kerneltest.Vec, kerneltest.Vec) {
		w := worldOf(spheres)
		pass := newFirstPass(&w.Spheres)
		return func(r *kerneltest.Ray) (int, kerneltest.Vec, kerneltest.Vec) {
			ray := (*Ray)(unsafe.Pointer(r))
			i, distance := pass.closest(ray, tMin, math.MaxFloat32)
			if i < 0 {
				return -1, kerneltest.Vec{}, kerneltest.Vec{}
			}
			hit := w.hit(i, ray, distance)
			return int(hit.Material.Albedo.X), kerneltest.Vec{hit.P.X, hit.P.Y, hit.P.Z}, kerneltest.Vec{hit.N.X, hit.N.Y, hit.N.Z}
		}
	},
}

// worldOf gives every sphere a material of its own, whose red is the index.
func worldOf(spheres []kerneltest.Sphere) *World {
	w := new(World)
	for i, s := range spheres {
		w.Spheres.Append(Sphere{
			Center: vec3(s.Center), RadiusSq: s.RadiusSq,
			Surface: Surface{
				Center: vec3(s.Center), InvRadius: s.InvRadius,
				Material: newMaterial(&scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{float32(i), 0, 0}}),
			},
		})
	}
	return w
}

func TestFirstPass(t *testing.T)   { suite.TestFirstPass(t) }
func TestHit(t *testing.T)         { suite.TestHit(t) }
func TestFMA(t *testing.T)         { kerneltest.TestFMA(t, fma) }
func FuzzFirstPass(f *testing.F)   { suite.Fuzz(f) }
func BenchmarkKernel(b *testing.B) { suite.Bench(b) }

// TestDraw starts where a render does, and where the first point is (-1, 0, 0): the
// smallest number, at the distance from which on a point is not in the ball.
func TestDraw(t *testing.T) {
	for _, start := range []RNG{seeds(0), {x: 0x01100080, y: 0x00880040, z: 0x00880040, next: ahead}} {
		kerneltest.TestDraw(t, start, (*RNG).draw, (*RNG).drawGeneric)
	}
}
