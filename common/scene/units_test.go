package scene

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// times returns a scene in units so many times as small.
func times(s *Scene, unit float32) *Scene {
	out := *s
	out.Spheres = nil
	c := &out.Camera
	for i := range 3 {
		c.From[i] *= unit
		c.At[i] *= unit
	}
	c.Focus *= unit
	c.Aperture *= unit
	for _, sphere := range s.Spheres {
		for i := range 3 {
			sphere.Center[i] *= unit
		}
		sphere.Radius *= unit
		out.Spheres = append(out.Spheres, sphere)
	}
	return &out
}

// Whatever the unit, a scene is the same one afterward, to the bit if the units are powers of two
// apart, and stays as it is if the unit is right.
func TestUnits(t *testing.T) {
	for _, name := range append(Names(), "sphereflake=3") {
		s, err := ByName(name)
		require.NoError(t, err)
		right := times(s, 1)
		right.normalize()
		assert.Equal(t, s, right, "the unit is right")
		want := times(s, 1<<8)
		want.normalize()
		assert.GreaterOrEqual(t, want.sight(), 4.0)
		assert.Less(t, want.sight(), 8.0)
		for _, exponent := range []int{-26, -10, -6, 10, 20, 26} {
			scaled := times(s, float32(math.Ldexp(1, exponent)))
			scaled.normalize()
			require.Equal(t, want, scaled, "%s, 2^%d", name, exponent)
		}
	}
}

// two are balls of one color 10 from a camera.
func two() *Scene {
	return &Scene{
		Camera:  Camera{From: [3]float32{0, 0, 10}, Focus: 10},
		Spheres: []Sphere{{Radius: 1}, {Center: [3]float32{2, 0, 0}, Radius: 1}},
	}
}

// What unit a scene gets, from the distance of what the camera looks at.
func TestUnit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s *Scene)
		unit   float32 // the power of two by which lengths are divided
	}{
		{"as it is", func(s *Scene) {}, 1},
		{"the nearest that stays", func(s *Scene) { *s = *times(s, 1./10) }, 1},
		{"nearer", func(s *Scene) { *s = *times(s, 0.999/10) }, 1. / 8},
		{"the furthest that stays", func(s *Scene) { *s = *times(s, 3.199) }, 1},
		{"further", func(s *Scene) { *s = *times(s, 3.2) }, 8},
		{"a planet from far away", func(s *Scene) {
			s.Camera.From[2], s.Spheres[0].Radius, s.Spheres = 1e7, 1e5, s.Spheres[:1]
		}, 1 << 21},
		{"looks along a direction", func(s *Scene) { *s = *times(s, 1e6); s.Camera.At = s.Camera.From; s.Camera.At[2]-- }, 1 << 21},
		{"looks past all", func(s *Scene) { s.Camera.At = [3]float32{0, 0, -1e8} }, 1},
		{"and a speck of dust", func(s *Scene) { s.Spheres = append(s.Spheres, Sphere{Radius: 1e-6}) }, 1},
		{"and dust in the lens", func(s *Scene) {
			s.Spheres = append(s.Spheres, Sphere{Center: s.Camera.From, Radius: 1e-3})
		}, 1},
		{"and the sky", func(s *Scene) { s.Spheres = append(s.Spheres, Sphere{Radius: 1e8}) }, 1},
		{"a ball and the sky, past both", func(s *Scene) {
			s.Camera.At, s.Spheres[1].Radius = [3]float32{0, 0, -1e8}, 1e8
		}, 1},
		{"and a ground", func(s *Scene) {
			s.Spheres = append(s.Spheres, Sphere{Center: [3]float32{0, -1e5 - 1, 0}, Radius: 1e5})
		}, 1},
		{"on a ball", func(s *Scene) { s.Camera.From[2], s.Spheres = 1, s.Spheres[:1] }, 1},
		{"the least radius", func(s *Scene) {
			s.Camera.At[2], s.Camera.From[2], s.Spheres[0].Radius = -1e12, 1e12, 1e-9
		}, 1 << 10}, // more would make the coordinates small and the radius nothing
		{"too long for its unit", func(s *Scene) { s.Spheres[1].Center[0] = -1e12 }, 1 << 10},
		{"as long as can be", func(s *Scene) { s.Spheres[1].Center[0] = -1e9 }, 1},
		{"an aperture too wide", func(s *Scene) { s.Camera.Aperture = 2e9 }, 2},
		{"a focus too far", func(s *Scene) { s.Camera.Focus = 4e9 }, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := two()
			tt.change(s)
			got := times(s, 1)
			got.normalize()
			assert.Equal(t, tt.unit, s.Camera.Focus/got.Camera.Focus)
			assert.Equal(t, times(s, 1/tt.unit), got, "all lengths")
			_, most := got.lengths()
			assert.LessOrEqual(t, most, maxTraced)
		})
	}
}
