package tree

import (
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

func TestStep(t *testing.T)        { steptest.Run(t, New) }
func TestWorkers(t *testing.T)     { steptest.Workers(t, New) }
func BenchmarkRender(b *testing.B) { steptest.BenchWorkers(b, New) }

// Few spheres are searched by the loop, many by the walk.
func TestKernel(t *testing.T) {
	steptest.Kernel(t, New(scene.Small()), "avx2", "neon")
	steptest.Kernel(t, New(scene.Large()), "avx512", "avx2")
}
