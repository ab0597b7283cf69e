package tracing

import (
	"testing"

	"raysteps/common/kerneltest"
)

func TestFMA(t *testing.T) { kerneltest.TestFMA(t, FMA) }
