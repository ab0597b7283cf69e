package step12

import (
	"math"
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/rays"
	"raysteps/common/scene"
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

// BenchmarkAlignment lets columns start off a cache line. The operands of AVX
// instructions in memory may be anywhere. Off by 32 bytes, all of a column are
// still within a cache line; otherwise every second one crosses from one into
// the next.
func BenchmarkAlignment(b *testing.B) { suite.BenchAlignment(b) }

// BenchmarkRays finds what recorded rays hit by the loop.
func BenchmarkRays(b *testing.B) {
	rays.Bench(b, func(sc *scene.Scene) func([]rays.Ray, []rays.Hit) {
		test := New(sc).test
		return func(all []rays.Ray, hits []rays.Hit) {
			for i := range all {
				r := Ray{Vec3(all[i].Origin), Vec3(all[i].Direction)}
				sphere, distance := test.Closest(&r, tMin, math.MaxFloat32)
				hits[i] = rays.Hit{Sphere: int32(sphere), Distance: distance}
			}
		}
	})
}
