//go:build !purego

package avx512

import "math"

// assembly are the implementations beside the one in plain Go.
var assembly = func() []implementation {
	wide := implementation{name: "avx512", lanes: 16, run: func(p *firstPass, r *Ray) { closestAVX512(p, r, tMin, math.MaxFloat32) }}
	if !hasAVX512 {
		wide.missing = "the processor has no AVX-512"
	}
	half := implementation{name: "avx2", lanes: 8, run: func(p *firstPass, r *Ray) { closestAVX2(p, r, tMin, math.MaxFloat32) }}
	if !hasAVX2 {
		half.missing = "the processor has no AVX2 and FMA"
	}
	return []implementation{wide, half}
}()

// choose makes tracers run an implementation that the processor can run, until
// the function that it returns is called.
func choose(name string) (restore func()) {
	avx2, avx512 := hasAVX2, hasAVX512
	hasAVX512 = name == "avx512"
	hasAVX2 = hasAVX512 || name == "avx2"
	return func() { hasAVX2, hasAVX512 = avx2, avx512 }
}
