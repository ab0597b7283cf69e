package wavefront

import (
	"math"

	"raysteps/common/mem"
	"raysteps/common/scene"
)

// A bundle is what the camera rays of a block have in common: all of them start
// at the lens and go through the same square of the plane of focus, whatever
// their sample. So a sphere can be asked about all of them at once.
type bundle struct {
	lens     *lens // of the spheres to ask about
	first, n int   // its rays in the front
	// The square, in the plane of focus: its middle, seen from that of the
	// picture, and half of its sides.
	x, y, halfX, halfY float32
	// 1/cos of an angle that is no smaller than that between a ray and the axis of
	// the camera, to the side or up.
	secant float32
}

// bundle returns that of n rays of a block, the first of which has a number in
// the front.
func (c *Camera) bundle(l *lens, b *block, first, n int) bundle {
	halfX, halfY := float32(float32(b.width)/2*c.pixelX), float32(float32(b.height)/2*c.pixelY)
	s := bundle{
		lens: l, first: first, n: n,
		x:     float32(float32(b.x)*c.pixelX) + halfX - c.halfX,
		y:     float32(float32(b.y)*c.pixelY) + halfY - c.halfY,
		halfX: halfX, halfY: halfY,
	}
	slope := (max(abs(s.x)+halfX, abs(s.y)+halfY) + c.radius) / c.focus
	s.secant = sqrt(1 + float32(slope*slope))
	return s
}

// lens is the spheres as the camera sees them, for finding those that a bundle
// can hit. The columns are long enough for whole groups of the n spheres.
//
// At a depth z, in units of the distance of the plane of focus, a ray that
// starts r to the side in the lens and goes through a point x of that plane is
// at r(1-z) + xz. So the rays of a bundle are within radius·|1-z| + halfX·|z| of
// its middle there, and a sphere that is further away than that and its reach is
// hit by none of them. It is the same for up.
type lens struct {
	n       int
	number  []uint32  // of a sphere, counted from 1
	x, y, z []float32 // centers; z in units of the distance of the plane of focus
	depth   []float32 // |z|
	blur    []float32 // radius of the lens times |1-z|
	reach   []float32
}

// emptyLens returns a lens with room for n spheres.
func emptyLens(n int) *lens {
	room := (n + group - 1) / group * group
	column := func() []float32 { return mem.Aligned[float32](room, mem.CacheLine) }
	l := &lens{n: n, number: mem.Aligned[uint32](room, mem.CacheLine)}
	l.x, l.y, l.z, l.depth, l.blur, l.reach = column(), column(), column(), column(), column(), column()
	return l
}

// choose makes l a lens of some of the spheres of another one, by their numbers.
func (l *lens) choose(from *lens, numbers []uint32) {
	l.n = len(numbers)
	for to, number := range numbers {
		i := number - 1
		l.number[to], l.x[to], l.y[to], l.z[to] = number, from.x[i], from.y[i], from.z[i]
		l.depth[to], l.blur[to], l.reach[to] = from.depth[i], from.blur[i], from.reach[i]
	}
}

func newLens(c *scene.Camera, spheres []scene.Sphere) *lens {
	u, v, w := basis(c)
	from := vec3(c.From)
	l := emptyLens(len(spheres))
	for i := range spheres {
		l.number[i] = uint32(i) + 1
		toCenter := vec3(spheres[i].Center).Sub(from)
		l.x[i], l.y[i] = toCenter.Dot(u), toCenter.Dot(v)
		l.z[i] = -toCenter.Dot(w) / c.Focus
		l.depth[i] = abs(l.z[i])
		l.blur[i] = float32(c.Aperture / 2 * abs(1-l.z[i]))
		l.reach[i] = lensReach(toCenter.Length(), abs(spheres[i].Radius), from.Length())
		if l.z[i]*c.Focus+l.reach[i] < 0 {
			l.reach[i] = float32(math.Inf(-1)) // behind the camera
		}
	}
	return l
}

// lensReach returns how far from a camera ray the center of a sphere can be
// if the equation, rounded as it is, has a solution: of numbers of the size of
// the squares of distance and radius, its discriminant is off by less than 32
// roundings. What else is rounded, in the ray and in the lens, is smaller than
// 2⁻¹⁶ of the distances.
func lensReach(distance, radius, origin float32) float32 {
	d, r := float64(distance), float64(radius)
	return float32(math.Sqrt(r*r+(d*d+r*r)/(1<<19)) + (d+r+float64(origin))/(1<<16))
}
