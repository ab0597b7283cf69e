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
	for i := range 200_000 {
		spheres := kerneltest.RandomSpheres(rng, 1+i%8)
		r := kerneltest.RandomRay(rng, spheres)
		p := newFirstPass(&worldOf(spheres).Spheres)
		ray := Ray{vec3(r.Origin), vec3(r.Direction)}
		for _, tMin := range []float32{0, 0.001, 1} {
			want, wantT := closestGeneric(p, &ray, tMin, math.MaxFloat32)
			got, gotT := few256(p, &ray, tMin, math.MaxFloat32)
			require.Equal(t, want, got, "%v, %v", ray, spheres)
			require.Equal(t, wantT, gotT, "%v, %v", ray, spheres)
			if got >= 0 {
				hits++
			}
		}
	}
	require.Greater(t, hits, 100_000)
}
