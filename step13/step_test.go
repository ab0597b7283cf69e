package step13

import (
	"testing"

	"raysteps/common/steptest"
)

func TestStep(t *testing.T)        { steptest.Run(t, New) }
func TestWorkers(t *testing.T)     { steptest.Workers(t, New) }
func BenchmarkRender(b *testing.B) { steptest.BenchWorkers(b, New) }
