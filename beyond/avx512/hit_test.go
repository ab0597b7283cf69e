//go:build amd64 && !purego

package avx512

import (
	"testing"

	"raysteps/beyond/tracing"
	"raysteps/common/kerneltest"
	"raysteps/step13"
)

var suite = kerneltest.Suite{
	Kernels: []kerneltest.Kernel{
		{Name: "avx2", Lanes: 8, Align: 4, Bind: kerneltest.BindClosest((*step13.HitTest).Closest)}, // in plain Go where there is no AVX2
		{Name: "avx512", Lanes: 8, Align: 4, Bind: kerneltest.Bind(runAVX512, (*hitTest).secondPass), Missing: !hasAVX512},
	},
	Padding: 8,
	Fused:   true,
	Columns: func(list []kerneltest.Sphere) kerneltest.Pass {
		spheres := new(tracing.SphereSoA)
		for _, s := range list {
			center := tracing.Vec3{X: s.Center[0], Y: s.Center[1], Z: s.Center[2]}
			spheres.Append(step13.Sphere{Center: center, RadiusSq: s.RadiusSq})
		}
		return kerneltest.PassOf(newHitTest(spheres).(*hitTest))
	},
}

func TestFirstPass(t *testing.T)   { suite.TestFirstPass(t) }
func FuzzFirstPass(f *testing.F)   { suite.Fuzz(f) }
func BenchmarkKernel(b *testing.B) { suite.Bench(b) }
