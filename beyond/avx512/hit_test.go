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
	Columns: func(list []kerneltest.Sphere) kerneltest.Pass {
		s := &scene.Scene{Spheres: make([]scene.Sphere, len(list))}
		for i := range list {
			s.Spheres[i] = scene.Sphere{Center: list[i].Center, Radius: 1}
		}
		spheres := &step12.New(s).World().Spheres
		for i := range list {
			spheres.RadiusSqPadded()[i] = list[i].RadiusSq
		}
		return kerneltest.PassOf(step12.NewFirstPass(spheres))
	},
}

func TestFirstPass(t *testing.T)   { suite.TestFirstPass(t) }
func FuzzFirstPass(f *testing.F)   { suite.Fuzz(f) }
func BenchmarkKernel(b *testing.B) { suite.Bench(b) }
