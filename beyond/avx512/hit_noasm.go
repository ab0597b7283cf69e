//go:build !amd64 || purego

package avx512

import (
	"raysteps/beyond/tracing"
	"raysteps/step13"
)

const hasAVX512 = false

func newHitTest(s *tracing.SphereSoA) tracing.HitTest { return step13.NewHitTest(s) }
