package wavefront

import (
	"math"

	"raysteps/common/mem"
	"raysteps/common/scene"
)

// Camera makes the rays that start at a thin lens.
type Camera struct {
	lanes  cameraLanes[spread[float32]] // of the vectors below; first, and so in whole cache lines
	origin Vec3
	// The lens: its radius to the right and up in the picture.
	u, v Vec3
	// The picture is a rectangle in the plane of focus: its lower left corner,
	// as seen from the origin, and the sides of a pixel.
	corner, horizontal, vertical Vec3
	// The same for bundles: the sides of a pixel and half of the picture's, in the
	// plane of focus, its distance, and the radius of the lens.
	pixelX, pixelY, halfX, halfY, focus, radius float32
}

// cameraLanes is the vectors of a camera, each number in all lanes of a register.
type cameraLanes[F any] struct{ origin, u, v, corner, horizontal, vertical struct{ x, y, z F } }

// NewCamera sets a camera up for pictures of a size in pixels.
func NewCamera(c *scene.Camera, width, height int) *Camera {
	theta := float32(c.FOV*math.Pi) / 180
	halfHeight := float32(math.Tan(float64(theta / 2)))
	halfWidth := float32(float32(width) / float32(height) * halfHeight)

	from := vec3(c.From)
	u, v, w := basis(c)
	horizontal, vertical := u.Scale(2*halfWidth*c.Focus), v.Scale(2*halfHeight*c.Focus)
	camera := &mem.Aligned[Camera](1, mem.CacheLine)[0]
	camera.origin = from
	camera.u, camera.v = u.Scale(c.Aperture/2), v.Scale(c.Aperture/2)
	camera.corner = Vec3{}.Sub(horizontal.Scale(0.5)).Sub(vertical.Scale(0.5)).Sub(w.Scale(c.Focus))
	camera.horizontal, camera.vertical = horizontal.Scale(1/float32(width)), vertical.Scale(1/float32(height))
	camera.halfX, camera.halfY = float32(halfWidth*c.Focus), float32(halfHeight*c.Focus)
	camera.pixelX, camera.pixelY = 2*camera.halfX/float32(width), 2*camera.halfY/float32(height)
	camera.focus, camera.radius = c.Focus, c.Aperture/2
	l := &camera.lanes
	for to, v := range map[*struct{ x, y, z spread[float32] }]Vec3{
		&l.origin: camera.origin, &l.u: camera.u, &l.v: camera.v,
		&l.corner: camera.corner, &l.horizontal: camera.horizontal, &l.vertical: camera.vertical,
	} {
		to.x, to.y, to.z = newSpread(v.X), newSpread(v.Y), newSpread(v.Z)
	}
	return camera
}

// basis returns unit vectors to the right in the picture, up, and backward.
func basis(c *scene.Camera) (u, v, w Vec3) {
	w = vec3(c.From).Sub(vec3(c.At)).Unit()
	u = vec3(c.Up).Cross(w).Unit()
	return u, w.Cross(u), w
}

// block is a square of the picture, at each pixel of which paths begin, one for
// each of some samples. A group of rays that is as wide as it is high meets
// fewer spheres than one of pixels in a row.
type block struct {
	x, y          int    // the lower left pixel
	width, height int    // less than blockSide at the edge of the picture
	stride        int    // from a pixel to that above, in the picture
	sample, n     int    // the first sample, and how many
	seed          uint32 // of the picture
	number        uint32 // of the lower left pixel, in the picture
	// The path of the lower left pixel. The numbers of pixels under way grow by
	// 1 to the right, and by tileSize up.
	path uint32
}

// blockSide is the side of a block: a group of pixels.
const blockSide = 4

// drawPlain begins the paths of a block: it puts down their pixels, and what
// becomes the state of their random numbers.
func drawPlain(f *front, b *block) {
	for sample := range b.n {
		first := sampleSeed(b.seed, b.sample+sample) + b.number
		for y := range b.height {
			for x := range b.width {
				j := f.n
				f.dx[j], f.dy[j], f.state[j] = float32(b.x+x), float32(b.y+y), first+uint32(y*b.stride+x)
				f.path[j] = b.path + uint32(y*tileSize+x)<<depthBits
				f.n++
			}
		}
	}
}

// advance moves rays along by tMin, from a number on: camera rays that start on a surface, as
// rarely are any, and so in no other form.
func (f *front) advance(from int) {
	for i := from; i < f.n; i++ {
		o := along(tMin, vec(f.dx[i], f.dy[i], f.dz[i]), vec(f.ox[i], f.oy[i], f.oz[i]))
		f.ox[i], f.oy[i], f.oz[i] = o.X, o.Y, o.Z
	}
}

// aimPlain makes rays of what was drawn, from a number on: through a point of
// the pixel and one of the lens.
func aimPlain(f *front, c *Camera, from int) {
	for i := from; i < f.n; i++ {
		du := xorshift(pathSeed(f.state[i]))
		dv := xorshift(du)
		x, y := f.dx[i]+unit(int32(du)), f.dy[i]+unit(int32(dv))
		right, up, state := inDisk(dv)
		offset := along(up, c.v, c.u.Scale(right))
		target := along(y, c.vertical, along(x, c.horizontal, c.corner))
		d := normalize(target.Sub(offset))
		f.ox[i], f.oy[i], f.oz[i] = c.origin.X+offset.X, c.origin.Y+offset.Y, c.origin.Z+offset.Z
		f.dx[i], f.dy[i], f.dz[i] = d.X, d.Y, d.Z
		f.r[i], f.g[i], f.b[i] = 1, 1, 1
		f.state[i] = state
	}
}
