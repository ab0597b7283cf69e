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

// sseApart, whose loop begins so many bytes behind a multiple of 64.

func start4(c *columns, r *Ray)
func start8(c *columns, r *Ray)
func start12(c *columns, r *Ray)
func start16(c *columns, r *Ray)
func start20(c *columns, r *Ray)
func start24(c *columns, r *Ray)
func start28(c *columns, r *Ray)
func start32(c *columns, r *Ray)
func start36(c *columns, r *Ray)
func start40(c *columns, r *Ray)
func start44(c *columns, r *Ray)
func start48(c *columns, r *Ray)
func start52(c *columns, r *Ray)
func start56(c *columns, r *Ray)
func start60(c *columns, r *Ray)

// uncopiedWithin, with so many loads into floating-point or integer registers or so many no-ops,
// which nothing waits for.

func floats6(c *columns, r *Ray)
func floats12(c *columns, r *Ray)
func ints6(c *columns, r *Ray)
func ints12(c *columns, r *Ray)
func nops6(c *columns, r *Ray)
func nops12(c *columns, r *Ray)
