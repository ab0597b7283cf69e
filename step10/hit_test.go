package step10

import (
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

var suite = kerneltest.Suite{
	Kernels: []kerneltest.Kernel{
		{Name: "generic", Lanes: 1, Align: 4, Bind: kerneltest.Bind(closestGeneric)},
		{Name: kernel, Lanes: 8, Align: 16, Bind: kerneltest.Bind((*firstPass).closest), Missing: !hasKernel},
	},
	Padding: 8,
	World: func(spheres []kerneltest.Sphere) (kerneltest.Pass, kerneltest.Hit) {
		w := worldOf(spheres)
		pass := newFirstPass(&w.Spheres)
		return kerneltest.PassAndHit(pass, pass.closest, func(i int, r *Ray, distance float32) (int, Vec3, Vec3) {
			hit := w.hit(i, r, distance)
			return int((*hit.Material).(*Lambertian).Albedo.X), hit.P, hit.N
		})
	},
}

// worldOf gives every sphere a material of its own, whose red is the index.
func worldOf(spheres []kerneltest.Sphere) *World {
	w := new(World)
	for i, s := range spheres {
		w.Spheres.Append(Sphere{
			Center: vec3(s.Center), RadiusSq: s.RadiusSq, InvRadius: s.InvRadius,
			Material: newMaterial(&scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{float32(i), 0, 0}}),
		})
	}
	return w
}

func TestFirstPass(t *testing.T)   { suite.TestFirstPass(t) }
func TestHit(t *testing.T)         { suite.TestHit(t) }
func BenchmarkKernel(b *testing.B) { suite.Bench(b) }
