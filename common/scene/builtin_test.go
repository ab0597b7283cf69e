package scene

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The first numbers are what the C program prints that calls srand(111) and
// then rand.
func TestLibcRand(t *testing.T) {
	r := libcRand(111)
	for i, want := range []uint32{
		1629905861, 708017477, 1225010071, 14444113, 324837614, 2112273117,
		1166384513, 1539134273, 1883039818, 779189906, 30225157, 2002071316,
	} {
		assert.Equal(t, want, r(), "output %d", i)
	}

	sum := uint32(0)
	r = libcRand(111)
	for range 1440 {
		sum += r() & 255
	}
	assert.Equal(t, uint32(179853), sum, "sum of the low bytes of 1440 outputs")
}

func TestBuiltin(t *testing.T) {
	for _, tt := range []struct {
		name                                   string
		spheres, lambertian, metal, dielectric int
	}{
		{"small", 5, 2, 1, 2},
		{"medium", 46, 22, 23, 1},
		{"large", 484, 433, 26, 25},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := ByName(tt.name)
			require.NoError(t, err)
			assert.Equal(t, tt.name, s.Name)
			assert.NoError(t, s.Validate())
			count := map[Kind]int{}
			for _, sphere := range s.Spheres {
				count[sphere.Material.Kind]++
			}
			assert.Len(t, s.Spheres, tt.spheres)
			assert.Equal(t, map[Kind]int{Lambertian: tt.lambertian, Metal: tt.metal, Dielectric: tt.dielectric}, count)
		})
	}
}

func TestByNameUnknown(t *testing.T) {
	for _, name := range []string{"huge", "", "large=1", "cloud", "cloud=", "cloud=9", "cloud=1048577", "cloud=1e3", "sphereflake=-1", "sphereflake=7"} {
		_, err := ByName(name)
		assert.EqualError(t, err, `unknown scene "`+name+`"; want small, medium, large, sphereflake=0 to sphereflake=6, or cloud=10 to cloud=1048576`)
	}
}
