package step11

import (
	"testing"

	"raysteps/common/kerneltest"
)

var suite = kerneltest.Suite{
	Kernels: []kerneltest.Kernel{
		{Name: "generic", Lanes: 1, Align: 4, Bind: kerneltest.Bind(closestGeneric)},
		{Name: kernel, Lanes: 8, Align: 16, Bind: kerneltest.Bind((*firstPass).closest), Missing: !hasKernel},
	},
	Padding: 8,
	Columns: func(list []kerneltest.Sphere) kerneltest.Pass {
		spheres := new(SphereSoA)
		for _, s := range list {
			spheres.Append(Sphere{Center: vec3(s.Center), RadiusSq: s.RadiusSq})
		}
		return kerneltest.PassOf(newFirstPass(spheres))
	},
}

func TestFirstPass(t *testing.T)   { suite.TestFirstPass(t) }
func FuzzFirstPass(f *testing.F)   { suite.Fuzz(f) }
func BenchmarkKernel(b *testing.B) { suite.Bench(b) }

// TestDraw starts where a render does, and where the first point is (-1, 0, 0): the
// smallest number, at the distance from which on a point is not in the ball.
func TestDraw(t *testing.T) {
	for _, start := range []RNG{seeds, {x: 0x01100080, y: 0x00880040, z: 0x00880040, next: ahead}} {
		kerneltest.TestDraw(t, start, (*RNG).draw, (*RNG).drawGeneric)
	}
}
