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

// View makes the rays of a camera through the pixels of a picture, one ahead: Prepare
// makes the next one, and Ray hands it out and takes the random numbers that it was
// made from. Who takes others in between discards it.
type View struct {
	camera Camera
	// Counted in half pixels, the middle of pixel x is at 2x + 1, and less than one
	// from there is still in it.
	x, y                float32
	invWidth, invHeight float32
	next                Ray
	ready               bool // next is the next ray
}

// NewView returns a view for a picture of a size in pixels.
func NewView(c Camera, width, height int) View {
	return View{camera: c, invWidth: 0.5 / float32(width), invHeight: 0.5 / float32(height)}
}

// At goes to a pixel.
func (v *View) At(x, y int) {
	if x, y := float32(2*x+1), float32(2*y+1); x != v.x || y != v.y {
		v.x, v.y, v.ready = x, y, false
	}
}

// Right goes to the pixel on the right.
func (v *View) Right() { v.x += 2 }

// Prepare makes the next ray of the pixel, from a random point of the lens through one
// of the pixel.
func (v *View) Prepare(rng *RNG) {
	rng.FillPair()
	dx, dy := rng.Pair()
	s, t := (v.x+dx)*v.invWidth, (v.y+dy)*v.invHeight // (0, 0) is the picture's lower left corner
	c := &v.camera
	lens := rng.InUnitDisk().Scale(c.lensRadius)
	offset := c.u.Scale(lens.X).Add(c.v.Scale(lens.Y))
	target := c.corner.Add(c.horizontal.Scale(s)).Add(c.vertical.Scale(t))
	v.next = NewRay(c.origin.Add(offset), target.Sub(c.origin).Sub(offset))
	v.ready = true
}

// Discard forgets the ray that was prepared.
func (v *View) Discard() { v.ready = false }

// Ray returns the next ray.
func (v *View) Ray(rng *RNG) Ray {
	if !v.ready {
		v.Prepare(rng)
	}
	v.ready = false
	rng.Take()
	return v.next
}
