package shapes

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Loops in the form that leaves no bounds check in them: a test of soagen looks
// at what the compiler says of the lines from "hot" to "cold".

// nearest returns the sphere whose center is nearest to p, or -1.
func nearest(s *SphereSoA, p Vec3) int {
	cx, cy, cz := s.CenterX(), s.CenterY(), s.CenterZ()
	cy, cz = cy[:len(cx)], cz[:len(cx)]
	best, at := float32(1e30), -1
	for i := range cx { // hot
		x, y, z := cx[i]-p.X, cy[i]-p.Y, cz[i]-p.Z
		if d := x*x + y*y + z*z; d < best {
			best, at = d, i
		}
	} // cold
	return at
}

// hits counts the spheres that p is in, eight at a time and without a special
// case for the last few: a padding sphere has a squared radius of minus
// infinity, so nothing is in it.
func hits(s *SphereSoA, p Vec3) (n int) {
	cx, cy, cz, rr := s.CenterXPadded(), s.CenterYPadded(), s.CenterZPadded(), s.RadiusSqPadded()
	for len(cx) >= 8 && len(cy) >= 8 && len(cz) >= 8 && len(rr) >= 8 { // hot
		for i := range 8 {
			x, y, z := cx[i]-p.X, cy[i]-p.Y, cz[i]-p.Z
			if x*x+y*y+z*z <= rr[i] {
				n++
			}
		}
		cx, cy, cz, rr = cx[8:], cy[8:], cz[8:], rr[8:]
	} // cold
	return n
}

func TestHotLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for n := range 50 {
		s := new(SphereSoA)
		var plain []Sphere
		for range n {
			v := sphere(r)
			s.Append(v)
			plain = append(plain, v)
		}
		p := vec(r)
		inside, at, best := 0, -1, float32(1e30)
		for i, v := range plain {
			x, y, z := v.Center.X-p.X, v.Center.Y-p.Y, v.Center.Z-p.Z
			d := x*x + y*y + z*z
			if d <= v.RadiusSq {
				inside++
			}
			if d < best {
				best, at = d, i
			}
		}
		require.Equal(t, inside, hits(s, p))
		require.Equal(t, at, nearest(s, p))
	}
}
