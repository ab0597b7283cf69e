// Package avx512 is step 12 at twice the width: it computes the first pass in
// AVX-512 instructions, sixteen spheres at a time, and keeps the candidates in
// mask registers.
//
// The operations on each sphere are those of step 12, so the picture is step
// 12's to the byte. A processor without AVX-512 runs the kernel of step 12, and
// one without AVX2 or FMA the version in plain Go.
package avx512
