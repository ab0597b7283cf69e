//go:build !purego

package step12

import "math"

// assembly is the implementation beside the one in plain Go.
var assembly = func() implementation {
	if !hasAVX2 {
		return implementation{name: "avx2", missing: "the processor has no AVX2 and FMA"}
	}
	return implementation{name: "avx2", run: func(p *firstPass, r *Ray) { closestAVX2(p, r, tMin, math.MaxFloat32) }}
}()
