package archsimd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/common/kerneltest"
)

// TestFew compares the way for eight spheres or fewer with the plain version.
func TestFew(t *testing.T) {
	if !has256 {
		t.Skip("not tested: this build or this processor has no AVX2 and FMA")
	}
	rng := rand.New(rand.NewPCG(14, 3))
	hits := 0
	for i := range 10_000 {
		spheres := kerneltest.RandomSpheres(rng, 1+i%8)
		p := newFirstPass(&worldOf(spheres).Spheres)
		for range 20 {
			r := kerneltest.RandomRay(rng, spheres)
			ray := Ray{vec3(r.Origin), vec3(r.Direction)}
			for _, tMin := range []float32{0, 0.001, 1} {
				want, wantT := closestGeneric(p, &ray, tMin, math.MaxFloat32)
				got, gotT := few256(p, &ray, tMin, math.MaxFloat32)
				if got != want || gotT != wantT {
					t.Fatalf("%v, %v: got %d at %g; want %d at %g", ray, spheres, got, gotT, want, wantT)
				}
				if got >= 0 {
					hits++
				}
			}
		}
	}
	require.Greater(t, hits, 100_000)
}
