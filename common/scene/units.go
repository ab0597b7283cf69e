package scene

import (
	"math"
	"slices"
)

// What the camera looks at is between these distances in a scene that keeps its unit, and
// 4 to 8 away in others.
const (
	nearSight = 1
	farSight  = 32
)

// The limits of a length that a tracer sees: its squares and products are within what float32
// can hold, short of a very wide angle at the largest distances. Radii, the focus and the line
// of sight are no shorter than the first. What a file can hold has the same span.
const (
	minTraced = 1e-12
	maxTraced = 1e9
)

// normalize divides all lengths of a scene by a power of two, which is exact, so that it is
// in units of about one: tracers take no hit nearer than an absolute distance, since a
// scattered ray would else hit the surface that it starts on.
func (s *Scene) normalize() {
	shift := 0
	if sight := s.sight(); sight < nearSight || sight >= farSight {
		_, exponent := math.Frexp(sight)
		shift = exponent - 3
	}
	least, most := s.lengths()
	shift = min(shift, int(math.Floor(math.Log2(least/minTraced))))
	shift = max(shift, int(math.Ceil(math.Log2(most/maxTraced))))
	unit := float32(math.Ldexp(1, -shift))
	scale := func(v *[3]float32) { v[0], v[1], v[2] = v[0]*unit, v[1]*unit, v[2]*unit }
	c := &s.Camera
	scale(&c.From)
	scale(&c.At)
	c.Aperture *= unit
	c.Focus *= unit
	for i := range s.Spheres {
		scale(&s.Spheres[i].Center)
		s.Spheres[i].Radius *= unit
	}
}

// sight is how far away the camera's subject is: at the point that it looks at. That point may
// be given for the direction alone, so it counts as no nearer than the nearest surface, and as no
// further than where half of the spheres end. Single spheres, however small, large or far, do
// not decide.
func (s *Scene) sight() float64 {
	nearest, ends := math.Inf(1), make([]float64, 0, len(s.Spheres))
	for i := range s.Spheres {
		radius := math.Abs(float64(s.Spheres[i].Radius))
		distance := length(difference(s.Spheres[i].Center, s.Camera.From))
		nearest = min(nearest, math.Abs(distance-radius))
		ends = append(ends, distance+radius)
	}
	slices.Sort(ends)
	return min(max(nearest, length(difference(s.Camera.At, s.Camera.From))), ends[(len(ends)-1)/2])
}

// lengths returns the shortest and the longest of a scene, and of coordinates the longest alone.
func (s *Scene) lengths() (least, most float64) {
	c := &s.Camera
	least = min(float64(c.Focus), length(difference(c.At, c.From)))
	most = float64(max(c.Focus, c.Aperture))
	points := func(v [3]float32) {
		for _, x := range v {
			most = max(most, math.Abs(float64(x)))
		}
	}
	points(c.From)
	points(c.At)
	for i := range s.Spheres {
		points(s.Spheres[i].Center)
		radius := math.Abs(float64(s.Spheres[i].Radius))
		least, most = min(least, radius), max(most, radius)
	}
	return least, most
}
