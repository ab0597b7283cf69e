package avx512

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The points that draw leaves are those of drawGeneric, and so are their bits
// and the states after them. In a build without assembly they are the same
// function.
func TestDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	word := func() uint32 { return max(1, rng.Uint32()) }
	for range 1000 {
		got := RNG{s: word(), x: word(), y: word(), z: word(), next: uint(rng.IntN(ahead)), inside: rng.Uint64()}
		want := got
		for range 3 {
			got.draw()
			want.drawGeneric()
			require.Equal(t, want, got)
		}
	}
}

// Drawing ahead changes no number: pairs and points in the ball come in the
// order of the generators, whatever the order of calls.
func TestAhead(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	drawn := seeds
	x, y, z := seeds.x, seeds.y, seeds.z
	step := func() Vec3 {
		x, y, z = xorshift(x), xorshift(y), xorshift(z)
		return Vec3{symmetric(x), symmetric(y), symmetric(z)}
	}
	refused := 0
	for range 10_000 {
		if rng.IntN(2) == 0 {
			step()
			drawn.FillPair()
			u, v := drawn.Pair()
			require.Equal(t, [2]float32{unit(x), unit(y)}, [2]float32{u, v})
			continue
		}
		want := step()
		for want.Dot(want) >= 1 {
			refused++
			want = step()
		}
		drawn.FillBall()
		require.Equal(t, want, drawn.InUnitBall())
	}
	assert.Greater(t, refused, 1000)
}
