package step13

import (
	"math"

	"raysteps/common/scene"
)

// Camera makes the rays that start at a thin lens.
type Camera struct {
	lensRadius float32
	origin     Vec3
	u, v       Vec3 // unit vectors to the right and up in the picture
	// The picture is a rectangle in the plane of focus: its lower left corner
	// and its sides.
	corner, horizontal, vertical Vec3
}

// NewCamera sets a camera up for pictures of an aspect ratio, width / height.
func NewCamera(c *scene.Camera, aspect float32) Camera {
	theta := float32(c.FOV*math.Pi) / 180
	halfHeight := float32(math.Tan(float64(theta / 2)))
	halfWidth := float32(aspect * halfHeight)

	from, at, up := vec3(c.From), vec3(c.At), vec3(c.Up)
	w := from.Sub(at).Unit()
	u := up.Cross(w).Unit()
	v := w.Cross(u)
	return Camera{
		lensRadius: c.Aperture / 2,
		origin:     from,
		u:          u,
		v:          v,
		corner: from.Sub(u.Scale(float32(halfWidth * c.Focus))).
			Sub(v.Scale(float32(halfHeight * c.Focus))).
			Sub(w.Scale(c.Focus)),
		horizontal: u.Scale(2 * halfWidth * c.Focus),
		vertical:   v.Scale(2 * halfHeight * c.Focus),
	}
}

// Ray returns a ray from a random point of the lens through (s, t) of the
// picture; (0, 0) is its lower left corner and (1, 1) its upper right one.
func (c *Camera) Ray(s, t float32, rng *RNG) Ray {
	lens := rng.InUnitDisk().Scale(c.lensRadius)
	offset := c.u.Scale(lens.X).Add(c.v.Scale(lens.Y))
	target := c.corner.Add(c.horizontal.Scale(s)).Add(c.vertical.Scale(t))
	return NewRay(c.origin.Add(offset), target.Sub(c.origin).Sub(offset))
}
