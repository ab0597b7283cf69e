//go:build !purego

package experiments

// The first pass of a ray, which sets a bit for each candidate: with two operands or three, fused
// or not, 128 or 256 bits wide; the loops of two begin in the middle of a block of 64 bytes.
// Columns have the length of the discriminants, a multiple of 16.

func two128(p *HitTest, r *Ray)
func three128(p *HitTest, r *Ray)
func fused128(p *HitTest, r *Ray)
func three256(p *HitTest, r *Ray)
func fused256(p *HitTest, r *Ray)
func two128Odd(p *HitTest, r *Ray)
func fused256Odd(p *HitTest, r *Ray)
