//go:build !purego

package experiments

// columns is what the first pass of step 8 reads and writes, all of one length, at least one.
type columns struct{ x, y, z, radius, discriminant []float32 }

func sseApart(c *columns, r *Ray)
func sseWithin(c *columns, r *Ray)
func avxApart(c *columns, r *Ray)
func avxWithin(c *columns, r *Ray)
func uncopiedApart(c *columns, r *Ray)
func uncopiedWithin(c *columns, r *Ray)
