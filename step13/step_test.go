package step13

import (
	"testing"

	"raysteps/common/steptest"
)

func TestStep(t *testing.T)        { steptest.Run(t, New) }
func TestWorkers(t *testing.T)     { steptest.Workers(t, New) }
func BenchmarkRender(b *testing.B) { steptest.BenchWorkers(b, New) }

var _ = closestGeneric // to which the assembly jumps, and which step 12 tests
