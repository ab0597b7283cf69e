// Package step12 computes the first pass in AVX2 instructions, eight spheres at
// a time, with fused multiply and add.
//
// A fused operation rounds once where a product and a sum round twice, so the
// picture changes. The plain version gives the same bytes: it computes what
// the instruction does, exactly. A processor without AVX2 or FMA runs it, and is
// slower than in step 11: SSE has no instruction that rounds once.
package step12
