// Package archsimd is step 12 with a hit test that is not in assembly, but in Go's
// experimental package simd/archsimd, for AVX-512 or AVX2, or in the package simd, for
// any width. All else is step 12's.
//
// A ray is passed by value, so that it stays in registers, and sixteen spheres are
// a block of arrays, so that no bounds are checked. The operations on each sphere are
// those of step 12, so the picture is step 12's to the byte. The experiment has to be
// turned on when the package is built:
//
//	GOEXPERIMENT=simd go test ./beyond/archsimd
//
// Otherwise, and on a processor without AVX2 or FMA, plain Go runs. The package simd
// came with Go 1.27, and is what runs on arm64.
package archsimd
