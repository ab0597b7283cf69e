package archsimd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// closestTwin runs both implementations of the hit test and holds one to the
// other, the distance to the last bit.
func closestTwin(t *testing.T, p *firstPass, r *Ray, tMin, tMax float32) (closest int) {
	t.Helper()
	want, wantT := closestGeneric(p, r, tMin, tMax)
	got, gotT := p.closest(r, tMin, tMax)
	require.Equal(t, want, got, "the closest of %d spheres, %+v", len(p.cx), *r)
	require.Equal(t, math.Float32bits(wantT), math.Float32bits(gotT), "%g, want %g: the distance of the closest of %d spheres, %+v", gotT, wantT, len(p.cx), *r)
	return got
}

// The kernel finds the hit that plain Go finds, for every number of spheres, for
// rays that start anywhere, and between any two distances.
func TestClosest(t *testing.T) {
	forEach(t, func(t *testing.T, impl implementation) {
		defer choose(impl.name)()
		rng := rand.New(rand.NewPCG(10, 9))
		hits, misses := 0, 0
		for n := range counts + 1 {
			spheres := randomSpheres(rng, n)
			p := passOf(spheres)
			for range 64 {
				r := randomRay(rng, spheres)
				if closestTwin(t, p, r, tMin, math.MaxFloat32) < 0 {
					misses++
				} else {
					hits++
				}
				near := 20 * rng.Float32()
				closestTwin(t, p, r, near, near+10*rng.Float32())
				closestTwin(t, p, r, 0, inf)
			}
		}
		assert.Greater(t, hits, counts*16)
		assert.Greater(t, misses, counts*16)
	})
}

// Nor do they differ where numbers are special.
func TestClosestSpecialValues(t *testing.T) {
	forEach(t, func(t *testing.T, impl implementation) {
		defer choose(impl.name)()
		rng := rand.New(rand.NewPCG(10, 10))
		special := func() float32 { return specialValues[rng.IntN(len(specialValues))] }
		hits := 0
		for range 5000 {
			spheres := make([]Sphere, 1+rng.IntN(100))
			for i := range spheres {
				spheres[i] = sphereAt(special(), special(), special(), special())
			}
			r := randomRay(rng, nil)
			for _, x := range []*float32{&r.Origin.X, &r.Origin.Y, &r.Origin.Z, &r.Direction.X, &r.Direction.Y, &r.Direction.Z} {
				if rng.IntN(3) == 0 {
					*x = special()
				}
			}
			if closestTwin(t, passOf(spheres), r, tMin, math.MaxFloat32) >= 0 {
				hits++
			}
		}
		assert.Greater(t, hits, 500)
	})
}

// Hit returns the closest hit of r, as color finds it, and whether there is one.
func (w *World) Hit(r *Ray, tMin, tMax float32, pass *firstPass) (rec HitRecord, ok bool) {
	closest, t := pass.closest(r, tMin, tMax)
	if closest < 0 {
		return rec, false
	}
	return pass.hit(closest, r, t), true
}
