package step11

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
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

// TestView goes from a pixel to others, whose ray is the same if another was made ahead.
func TestView(t *testing.T) {
	camera := NewCamera(&scene.Small().Camera, 1)
	for _, to := range [][2]int{{4, 5}, {4, 6}, {7, 5}, {0, 4}} {
		ahead, want := NewView(camera, 8, 8), NewView(camera, 8, 8)
		rng, same := seeds, seeds
		ahead.At(3, 5)
		ahead.Right()
		ahead.Prepare(&rng)
		ahead.At(to[0], to[1])
		want.At(to[0], to[1])
		assert.Equal(t, want.Ray(&same), ahead.Ray(&rng), "to %v", to)
		assert.Equal(t, same, rng)
	}
}
