package scene

import (
	"math"
	"math/rand/v2"
)

// The sizes of the scenes that have one.
const (
	maxLevels = 6  // of Sphereflake: the next has more than MaxSpheres
	minCloud  = 10 // spheres of Cloud, which are larger the fewer there are
)

// Sphereflake is "balls" of Eric Haines' Standard Procedural Databases (1987), on a
// ground: a sphere with nine around it that are a third as large and touch it, each
// with nine around it, so many levels of them. From 0 on these are 1, 10, 91, 820,
// 7,381, 66,430 and 597,871 spheres, and the ground. The camera is where it is there,
// with a view so narrow that most of its rays meet the flake.
func Sphereflake(levels int) *Scene {
	s := &Scene{Name: "sphereflake", Camera: camera([3]float32{2.1, 1.7, 1.3}, 0, 3)}
	s.Camera.FOV = 30
	s.Spheres = []Sphere{{[3]float32{0, -1000.5, 0}, 1000, matte(0.5, 0.5, 0.5)}}
	s.bloom(levels, [3]float64{}, [3]float64{1, 0, 0}, [3]float64{0, 1, 0}, 0.5)
	return s
}

// around are directions along u, v and the axis of a sphere: six around the equator
// and three above, each 60 degrees from its neighbors, where equal spheres would be
// packed closest.
var around = func() [9][3]float64 {
	half, third, up := math.Sqrt(3)/2, math.Sqrt(3)/6, math.Sqrt(6)/3
	return [9][3]float64{
		{1, 0, 0}, {0.5, half, 0}, {-0.5, half, 0}, {-1, 0, 0}, {-0.5, -half, 0}, {0.5, -half, 0},
		{0.5, third, up}, {-0.5, third, up}, {0, -2 * third, up},
	}
}()

// bloom adds a sphere and so many levels around it. Its axis points away from what it
// touches, and u is a unit vector across.
func (s *Scene) bloom(levels int, center, u, axis [3]float64, radius float64) {
	c := [3]float32{float32(center[0]), float32(center[1]), float32(center[2])}
	s.Spheres = append(s.Spheres, Sphere{c, float32(radius), metal(0.8, 0.72, 0.56, 0.05)})
	if levels == 0 {
		return
	}
	v := cross(axis, u)
	for _, d := range around {
		away := along(along(along([3]float64{}, d[0], u), d[1], v), d[2], axis)
		side := math.Sqrt(1 - float64(d[2]*d[2]))
		across := along(along([3]float64{}, 1/side, axis), -d[2]/side, away)
		s.bloom(levels-1, along(center, radius*4/3, away), across, away, radius/3)
	}
}

// along returns p + t*d. Its conversions keep it from being fused, so that it is the
// same everywhere.
func along(p [3]float64, t float64, d [3]float64) [3]float64 {
	return [3]float64{p[0] + float64(t*d[0]), p[1] + float64(t*d[1]), p[2] + float64(t*d[2])}
}

// Cloud is n spheres, 10 or more, in a cube around the camera. However many they are,
// a ray hits one after about half of the way out of it, and each can be hit. With
// this seed the camera is in none of them.
func Cloud(n int) *Scene {
	rng := rand.New(rand.NewPCG(13, 6))
	s := &Scene{Name: "cloud", Camera: camera([3]float32{}, 0.1, 5)}
	s.Camera.At = [3]float32{0, 0, -1}
	radius := math.Sqrt(800 / math.Pi / float64(n))
	for range n {
		var c [3]float32
		for axis := range c {
			c[axis] = (2*rng.Float32() - 1) * 10
		}
		s.Spheres = append(s.Spheres, Sphere{c, float32(radius), matte(0.5, 0.5, 0.5)})
	}
	return s
}
