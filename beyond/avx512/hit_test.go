//go:build amd64 && !purego

package avx512

import (
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
	"raysteps/step12"
)

var suite = kerneltest.Suite{
	Kernels: []kerneltest.Kernel{
		{Name: "avx2", Lanes: 8, Align: 4, Bind: kerneltest.Bind((*step12.FirstPass).Closest)}, // in plain Go where there is no AVX2
		{Name: "avx512", Lanes: 8, Align: 4, Bind: kerneltest.Bind(closestAVX512), Missing: !hasAVX512},
	},
	Padding: 8,
	Fused:   true,
	// Every sphere has a material of its own, whose red is the index.
	World: func(spheres []kerneltest.Sphere) (kerneltest.Pass, kerneltest.Hit) {
		s := new(scene.Scene)
		for i, sphere := range spheres {
			s.Spheres = append(s.Spheres, scene.Sphere{
				Center: sphere.Center, Radius: 1,
				Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{float32(i), 0, 0}},
			})
		}
		w := step12.New(s).World()
		for i, sphere := range spheres {
			w.Spheres.RadiusSqPadded()[i] = sphere.RadiusSq
			w.Spheres.Surface()[i].InvRadius = sphere.InvRadius
		}
		pass := step12.NewFirstPass(&w.Spheres)
		return kerneltest.PassAndHit(pass, func(r *Ray, tMin, tMax float32) (int, float32) { return closest(pass, r, tMin, tMax) },
			func(i int, r *Ray, distance float32) (int, Vec3, Vec3) {
				hit := w.Hit(i, r, distance)
				return int(hit.Material.Albedo.X), hit.P, hit.N
			})
	},
}

func TestFirstPass(t *testing.T)   { suite.TestFirstPass(t) }
func TestHit(t *testing.T)         { suite.TestHit(t) }
func BenchmarkKernel(b *testing.B) { suite.Bench(b) }
