package step11

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRNG calls the methods in any order, and holds what they return to points that are
// drawn one at a time, until one is in the ball or the disk. The second start is one from
// which the first point is (-1, 0, 0): the smallest number, at the distance from which on
// a point is not in the ball.
func TestRNG(t *testing.T) {
	for _, start := range []RNG{seed(), NewRNG(1, 0x01100080, 0x00880040, 0x00880040)} {
		s, x, y, z := start.s, start.x, start.y, start.z
		number := func() uint32 {
			s = xorshift(s)
			return s
		}
		point := func() Vec3 {
			x, y, z = xorshift(x), xorshift(y), xorshift(z)
			return Vec3{symmetric(x), symmetric(y), symmetric(z)}
		}
		flat := func() Vec3 { return Vec3{symmetric(number()), symmetric(number()), 0} }
		until := func(draw func() Vec3) Vec3 {
			for {
				if p := draw(); p.Dot(p) < 1 {
					return p
				}
			}
		}
		rng, order := start, rand.New(rand.NewPCG(11, 1))
		for i := range 100_000 {
			switch order.IntN(4) {
			case 0:
				require.Equal(t, unit(number()), rng.Float32(), "call %d", i)
			case 1:
				require.Equal(t, point(), rng.InCube(), "call %d", i)
			case 2:
				require.Equal(t, until(point), rng.InUnitBall(), "call %d", i)
			default:
				require.Equal(t, until(flat), rng.InUnitDisk(), "call %d", i)
			}
		}
	}
}
