package kerneltest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tMin is the distance up to which the steps take no hit, so that a scattered
// ray does not hit the surface that it starts on.
const tMin = 0.001

// TestHit tests the hit test as a whole, with the kernel that the step chooses
// here: it finds the sphere that the oracle finds, and its point and normal.
func (s *Suite) TestHit(t *testing.T) {
	for _, tt := range cases {
		t.Run("special values/"+tt.name, func(t *testing.T) {
			require.Equal(t, tt.hit, s.hitOf(t, tt.spheres)(&tt.ray))
		})
	}
	t.Run("random", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 5))
		const rays = 5000
		hits := 0
		for range rays / 50 {
			spheres := RandomSpheres(rng, rng.IntN(100))
			hit := s.hitOf(t, spheres)
			for range 50 {
				if r := RandomRay(rng, spheres); hit(&r) >= 0 {
					hits++
				}
			}
		}
		assert.Greater(t, hits, 1500)
		assert.Less(t, hits, rays-300)
	})
}

// hitOf returns the hit test of the step, which fails the test if it finds another
// sphere than the oracle, or if the point or the normal is off by more than
// rounding.
func (s *Suite) hitOf(t *testing.T, spheres []Sphere) func(*Ray) (index int) {
	p, step := s.World(spheres)
	return func(r *Ray) int {
		got, point, normal := step(r)
		want := s.oracle(&p, r).hits[0]
		require.Equal(t, want.index, got, "the sphere that %v hits", *r)
		if got < 0 {
			return got
		}
		sphere := &spheres[got]
		near := func(what string, got float32, want, size float64) {
			if off := math.Abs(float64(got) - want); !(off <= 1e-6*size) && (got == got || want == want) {
				t.Fatalf("%v hits sphere %v: %s is %v; want %v", *r, *sphere, what, got, want)
			}
		}
		for axis := range point {
			from, along := float64(r.Origin[axis]), float64(want.t)*float64(r.Direction[axis])
			near("the point", point[axis], from+along, math.Abs(from)+math.Abs(along))
			n := (float64(point[axis]) - float64(sphere.Center[axis])) * float64(sphere.InvRadius)
			near("the normal", normal[axis], n, math.Abs(n))
		}
		return got
	}
}
