package avx512

import (
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

func TestStep(t *testing.T)        { steptest.Run(t, New) }
func BenchmarkRender(b *testing.B) { steptest.Bench(b, New) }

func TestKernel(t *testing.T) { steptest.Kernel(t, New(scene.Small()), "avx512", "avx2", "neon") }
