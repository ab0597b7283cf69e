package step12

import (
	"testing"

	"raysteps/common/kerneltest"
)

var kernel = new(Tracer).Kernel()

var suite = kerneltest.Suite{
	Kernels: []kerneltest.Kernel{
		{Name: "generic", Lanes: 1, Align: 4, Bind: kerneltest.Bind((*HitTest).runGeneric, (*HitTest).secondPass)},
		{Name: kernel, Lanes: 8, Align: 4, Bind: kerneltest.Bind((*HitTest).run, (*HitTest).secondPass), Missing: kernel == "plain"},
	},
	Padding: 8,
	Fused:   true,
	Columns: func(list []kerneltest.Sphere) kerneltest.Pass {
		spheres := new(SphereSoA)
		for _, s := range list {
			spheres.Append(Sphere{Center: vec3(s.Center), RadiusSq: s.RadiusSq})
		}
		return kerneltest.PassOf(NewHitTest(spheres))
	},
}

func TestFirstPass(t *testing.T)   { suite.TestFirstPass(t) }
func FuzzFirstPass(f *testing.F)   { suite.Fuzz(f) }
func TestFMA(t *testing.T)         { kerneltest.TestFMA(t, fma) }
func BenchmarkKernel(b *testing.B) { suite.Bench(b) }
