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
	t.Run("special values", func(t *testing.T) {
		for _, tt := range cases {
			t.Run(tt.name, func(t *testing.T) {
				got, _ := s.hitOf(t, tt.spheres)(&tt.ray)
				require.Equal(t, tt.hit, got)
			})
		}
	})
	t.Run("ties", s.testHitTies)
	t.Run("random", s.testHitRandom)
}

// Of equal spheres the first one counts, wherever they are.
func (s *Suite) testHitTies(t *testing.T) {
	n := max(20, 3*s.Padding)
	for last := range n {
		for first := range last {
			spheres := make([]Sphere, n)
			for i := range spheres {
				spheres[i] = Solid(Vec{0, 0, float32(3 + i)}, 1)
			}
			spheres[first], spheres[last] = Solid(Vec{}, 1), Solid(Vec{}, 1)
			got, _, _ := s.Hit(t, spheres)(&ahead)
			require.Equal(t, first, got, "spheres %d and %d are equal", first, last)
		}
	}
}

func (s *Suite) testHitRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 5))
	hits, misses := 0, 0
	for range 100 {
		spheres := RandomSpheres(rng, rng.IntN(100))
		hit := s.hitOf(t, spheres)
		for range 50 {
			r := RandomRay(rng, spheres)
			i, normal := hit(&r)
			if i < 0 {
				misses++
				continue
			}
			hits++
			if r.Origin.length() < 100 { // further away, a sphere's rim is less than float32 can say
				require.InDelta(t, 1, normal.length(), 0.01, "%v hits sphere %d off its surface", r, i)
			}
		}
	}
	t.Logf("%d hits and %d misses", hits, misses)
	assert.Greater(t, hits, 1500)
	assert.Greater(t, misses, 300)
}

// hitOf returns the hit test of the step, which fails the test if it finds another
// sphere than the oracle, or if the point or the normal is off by more than
// rounding.
func (s *Suite) hitOf(t *testing.T, spheres []Sphere) func(*Ray) (index int, normal Vec) {
	hit, p := s.Hit(t, spheres), s.Columns(spheres)
	return func(r *Ray) (int, Vec) {
		got, point, normal := hit(r)
		want, distance := s.closest(s.oracle(&p, r))(r, tMin, math.MaxFloat32)
		require.Equal(t, want, got, "the sphere that %v hits", *r)
		if got < 0 {
			return got, normal
		}
		sphere := &spheres[got]
		near := func(what string, got float32, want, size float64) {
			if off := math.Abs(float64(got) - want); !(off <= 1e-6*size) && (got == got || want == want) {
				t.Fatalf("%v hits sphere %v: %s is %v; want %v", *r, *sphere, what, got, want)
			}
		}
		for axis := range point {
			from, along := float64(r.Origin[axis]), float64(distance)*float64(r.Direction[axis])
			near("the point", point[axis], from+along, math.Abs(from)+math.Abs(along))
			n := (float64(point[axis]) - float64(sphere.Center[axis])) * float64(sphere.InvRadius)
			near("the normal", normal[axis], n, math.Abs(n))
		}
		return got, normal
	}
}
