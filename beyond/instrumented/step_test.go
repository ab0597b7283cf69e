package instrumented

import (
	"testing"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

func TestStep(t *testing.T)        { steptest.Run(t, New) }
func TestWorkers(t *testing.T)     { steptest.Workers(t, New) }
func BenchmarkRender(b *testing.B) { steptest.BenchWorkers(b, New) }

func TestKernel(t *testing.T) { steptest.Kernel(t, New(scene.Small()), "avx2", "neon") }
