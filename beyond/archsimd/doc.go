// Package archsimd is step 12 with a hit test that is not in assembly: it computes
// the first pass in Go's experimental package simd/archsimd, sixteen spheres at a
// time with AVX-512, or eight with AVX2. Points are drawn as in step 12.
//
// Rays are passed by value, so that they stay in registers, and sixteen spheres are
// a block of arrays, so that no bounds are checked. The operations on each sphere are
// those of step 12, so the picture is step 12's to the byte. The experiment has to be
// turned on when the package is built:
//
//	GOEXPERIMENT=simd go test ./beyond/archsimd
//
// Otherwise, and on a processor without AVX2 or FMA, the version in plain Go
// runs. With Go 1.27 there is a kernel for arm64, four spheres at a time, and one
// in the portable package simd, as wide as the processor's registers.
package archsimd
