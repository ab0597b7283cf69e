// Package avx512 is step 12 at twice the width: it computes the first pass in
// AVX-512 instructions, sixteen spheres at a time, and keeps the candidates in
// mask registers.
//
// The operations on each sphere are those of step 12, so the picture is step
// 12's to the byte. Short lists, and a processor without AVX-512, take the kernel of
// step 12; one without AVX2 or FMA takes the version in plain Go. All but the kernel
// is imported from there.
package avx512
