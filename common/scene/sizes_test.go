package scene

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSizes(t *testing.T) {
	for name, want := range map[string]int{
		"small": 5, "medium": 46, "large": 484,
		"sphereflake=0": 2, "sphereflake=1": 11, "sphereflake=2": 92, "sphereflake=3": 821, "sphereflake=4": 7382, "sphereflake=6": 597872,
		"cloud=10": 10, "cloud=1000": 1000, "cloud=1048576": 1048576,
	} {
		s, err := ByName(name)
		require.NoError(t, err)
		assert.Equal(t, name, s.Name)
		assert.Len(t, s.Spheres, want, name)
	}
}

func TestByNameUnknown(t *testing.T) {
	for _, name := range []string{"huge", "", "large=1", "cloud", "cloud=", "cloud=9", "cloud=1048577", "cloud=1e3", "sphereflake=-1", "sphereflake=7"} {
		_, err := ByName(name)
		assert.EqualError(t, err, `unknown scene "`+name+`"; want small, medium, large, sphereflake=0 to sphereflake=6, or cloud=10 to cloud=1048576`)
	}
}

// A sphere has ten neighbors, each of which it touches: nine smaller ones and the one
// that it is around. No two overlap.
func TestSphereflakeTouches(t *testing.T) {
	flake := Sphereflake(2).Spheres[1:]
	assert.Equal(t, [3]float32{0, 0, 0}, flake[0].Center)
	assert.InDelta(t, 2./3, flake[1].Center[0], 1e-7, "the first is along x")
	touching := map[int]int{} // spheres by the number that they touch
	for i := range flake {
		n := 0
		for j := range flake {
			a, b := flake[i], flake[j]
			gap := length(difference(a.Center, b.Center)) - float64(a.Radius+b.Radius)
			require.True(t, i == j || gap > -1e-6, "spheres %d and %d overlap", i, j)
			generations := math.Abs(math.Log(float64(a.Radius/b.Radius))) / math.Log(3)
			if gap < 1e-6 && math.Abs(generations-1) < 1e-3 {
				n++
			}
		}
		touching[n]++
	}
	assert.Equal(t, map[int]int{9: 1, 10: 9, 1: 81}, touching)
}

// However many spheres a cloud has, the camera is in none of them.
func TestCloudIsAroundTheCamera(t *testing.T) {
	nearest := math.Inf(1)
	for i, sphere := range Cloud(1 << 16).Spheres {
		nearest = min(nearest, length(difference(sphere.Center, [3]float32{})))
		if n := i + 1; n >= minCloud { // a smaller cloud has the first of these, and larger
			require.True(t, nearest > float64(sphere.Radius)*math.Sqrt(1<<16/float64(n)), "%d spheres", n)
		}
	}
}
