// Package avx512 is step 12 at twice the width: it computes the first pass in
// AVX-512 instructions, sixteen spheres at a time, and gets the bits of the
// candidates from a mask register.
//
// The operations on each sphere are those of step 12, so the picture is step
// 12's to the byte. Scenes of few spheres, and a processor without AVX-512, take
// step 12. Of the rest of it, package tracing has a copy.
package avx512
