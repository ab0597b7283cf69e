package kerneltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHit tests the hit test as a whole, with the kernel that the step chooses
// here.
func (s *Suite) TestHit(t *testing.T) {
	t.Run("special values", s.testHitSpecialValues)
	t.Run("ties", s.testHitTies)
	t.Run("closest", s.testHitClosest)
}

// tMin is the distance up to which the steps take no hit, so that a scattered
// ray does not hit the surface that it starts on.
const tMin = 0.001

func (s *Suite) testHitSpecialValues(t *testing.T) {
	far := Solid(Vec{0, 0, 40}, 1)
	for _, tt := range []struct {
		name    string
		ray     Ray
		spheres []Sphere
		want    int // index, or -1
		t, nz   float32
	}{
		{"no sphere", ahead, nil, -1, 0, 0},
		{"behind", ahead, []Sphere{Solid(Vec{0, 0, -20}, 1)}, -1, 0, 0},
		{"from within", ahead, []Sphere{far, Solid(Vec{0, 0, -5}, 2)}, 1, 2, 1},
		{"from the surface, outward", ahead, []Sphere{far, Solid(Vec{0, 0, -6}, 1)}, 0, 44, -1},
		{"from the surface, inward", ahead, []Sphere{far, Solid(Vec{0, 0, -4}, 1)}, 1, 2, 1},
		{"tangent", ahead, []Sphere{far, Solid(Vec{1, 0, 0}, 1)}, 1, 5, 0},
		{"negative radius", ahead, []Sphere{far, Solid(Vec{}, -0.5)}, 1, 4.5, 1},
		{"NaN and infinity are no hits", ahead, []Sphere{
			Solid(Vec{nan, 0, 0}, 1), Solid(Vec{0, 0, -nan}, 1), Solid(Vec{}, nan), Solid(Vec{}, -nan), Solid(Vec{}, inf),
			far, Solid(Vec{nan, 0, 0}, 1), Solid(Vec{0, 0, inf}, 1), Solid(Vec{0, -inf, 0}, 1), Solid(Vec{}, -inf),
		}, 5, 44, -1},
		{"origin is NaN", Ray{Vec{nan, 0, 0}, Vec{0, 0, 1}}, []Sphere{far}, -1, 0, 0},
		{"direction is NaN", Ray{Vec{}, Vec{nan, nan, nan}}, []Sphere{far}, -1, 0, 0},
		{"origin is infinite", Ray{Vec{0, 0, -inf}, Vec{0, 0, 1}}, []Sphere{far}, -1, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, point, normal := s.Hit(t, tt.spheres)(&tt.ray)
			require.Equal(t, tt.want, got)
			if tt.want >= 0 {
				assert.Equal(t, tt.ray.Origin.along(tt.ray.Direction, tt.t), point)
				assert.Equal(t, tt.nz, normal[2])
			}
		})
	}
}

// Of equal spheres the first one counts, wherever they are.
func (s *Suite) testHitTies(t *testing.T) {
	n := max(20, 3*s.Padding)
	for last := range n {
		for first := range last {
			var spheres []Sphere
			for i := range n {
				if i == first || i == last {
					spheres = append(spheres, Solid(Vec{}, 1))
				} else {
					spheres = append(spheres, Solid(Vec{0, 0, float32(3 + i)}, 1))
				}
			}
			got, _, _ := s.Hit(t, spheres)(&ahead)
			require.Equal(t, first, got, "spheres %d and %d are equal", first, last)
		}
	}
}

// testHitClosest holds a hit to what a search in float64 finds, unless that
// depends on the rounding.
func (s *Suite) testHitClosest(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 5))
	hits, misses, certain := 0, 0, 0
	for range 300 {
		spheres := RandomSpheres(rng, rng.IntN(100))
		hit := s.Hit(t, spheres)
		for range 50 {
			r := RandomRay(rng, spheres)
			got, point, normal := hit(&r)

			sure := Distance{math.Inf(1), 0}
			closest, doubt := -1, false
			for i := range spheres {
				first, doubtful := Distances(&spheres[i], &r, tMin)
				doubt = doubt || len(doubtful) > 0
				if first != nil && first.T+first.Tolerance < sure.T+sure.Tolerance {
					closest, sure = i, *first
				}
			}
			if !doubt && got == closest {
				certain++
			}
			if got < 0 {
				require.Equal(t, -1, closest, "%v hits nothing; want sphere %d at %v", r, closest, sure)
				misses++
				continue
			}
			hits++
			// How far along the ray the point is.
			along := 0.0
			for axis := range point {
				along += (float64(point[axis]) - float64(r.Origin[axis])) * float64(r.Direction[axis])
			}
			first, possible := Distances(&spheres[got], &r, tMin)
			if first != nil {
				possible = append(possible, *first)
			}
			require.True(t, slices.ContainsFunc(possible, func(d Distance) bool { return math.Abs(along-d.T) <= d.Tolerance }),
				"%v hits sphere %d at %v; want it at one of %v", r, got, along, possible)
			require.LessOrEqual(t, along, sure.T+sure.Tolerance, "%v hits sphere %d; want sphere %d", r, got, closest)
			require.InDelta(t, 0, point.sub(r.Origin.along(r.Direction, float32(along))).length(), 1e-3, "off the ray")
			if r.Origin.length() < 100 { // further away, a sphere's rim is less than float32 can say
				require.InDelta(t, 1, normal.length(), 0.01)
			}
		}
	}
	t.Logf("%d hits and %d misses, %d of them beyond doubt", hits, misses, certain)
	assert.Greater(t, hits, 5000)
	assert.Greater(t, misses, 1000)
	assert.Greater(t, certain, (hits+misses)/2)
}

// Distance is how far along a ray a hit is, and by how much float32 may be off.
type Distance struct{ T, Tolerance float64 }

// Distances returns in float64 where a ray surely hits a sphere first at a
// distance of more than tMin, nil if nowhere, and where float32 may find a hit
// before that or none at all: on the rim, and near tMin.
func Distances(s *Sphere, r *Ray, tMin float64) (first *Distance, doubtful []Distance) {
	var b, lengthSq float64
	for axis := range s.Center {
		v := float64(r.Origin[axis]) - float64(s.Center[axis])
		b += v * float64(r.Direction[axis])
		lengthSq += v * v
	}
	discriminant := b*b - lengthSq + float64(s.RadiusSq)
	// Squares of this size are subtracted from each other, each with an error of
	// some 1e-7 of it.
	size := lengthSq + float64(s.RadiusSq)
	if math.Abs(discriminant) < 1e-5*size {
		return nil, []Distance{{-b, 0.01 * math.Sqrt(size)}}
	}
	if discriminant < 0 {
		return nil, nil
	}
	root := math.Sqrt(discriminant)
	for _, t := range []float64{-b - root, -b + root} {
		d := Distance{t, 2e-4 * math.Sqrt(size)}
		switch {
		case math.Abs(t-tMin) <= d.Tolerance:
			doubtful = append(doubtful, d)
		case t > tMin:
			return &d, doubtful
		}
	}
	return nil, doubtful
}
