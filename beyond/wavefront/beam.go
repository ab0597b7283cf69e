package wavefront

import (
	"math"

	"raysteps/common/mem"
)

// beams puts scattered rays in the order of their directions, so that the rays of
// a group go much the same way. They are a beam: a cone around the ball in which
// they start. A sphere that the beam misses need not be asked about for each of its
// rays.
type beams struct {
	// The spheres as a beam sees them, n of them: blocks of as many as fit a
	// register, their x, then their y, z and radius.
	n      int
	blocks []float32
	beam   *beam
	// The rays in that order, and where each of them is in the front.
	sorted *front
	order  [capacity]uint32
}

// many is from how many spheres on beams pay.
const many = 100

// beam is that of a group, each number in all lanes of a register. At a depth z
// from the middle of the origins, along the mean direction a, its rays are within
// sideP + slopeP·|z| to the side and sideQ + slopeQ·|z| further up. These ways
// are u and v, as in across.
type beam beamOf[spread[float32]]

type beamOf[F any] struct {
	ox, oy, oz, ax, ay, az, ux, uz, vx, vy, vz F
	// 1/cos of the largest angle between a ray and a, and how far from the middle
	// the last ray starts, along a.
	secant, back, sideP, slopeP, sideQ, slopeQ F
}

// newBeams returns beams for spheres in blocks of some lanes; all rays start within a
// distance of the origin of the coordinates. The sieve lets a ray through to a sphere
// whose center is no further than its reach to the side and up, and so no further
// than 1.42 times that. What is rounded on the way to the bounds of a beam, and in
// them, is less than 2⁻¹⁷ of the distances.
func newBeams(s *spheres, distance float32, lanes int) *beams {
	b := &beams{n: len(s.cx), blocks: mem.Aligned[float32]((len(s.cx)+group)*4, mem.CacheLine)}
	b.beam, b.sorted = &mem.Isolated[beam](1)[0], &mem.Isolated[front](1)[0]
	for i, reach := range s.reach {
		center := vec(s.cx[i], s.cy[i], s.cz[i])
		at := b.blocks[i/lanes*lanes*4+i%lanes:]
		at[0], at[lanes], at[2*lanes] = center.X, center.Y, center.Z
		at[3*lanes] = 1.5*reach + (center.Length()+distance)/(1<<17)
	}
	for i := len(s.cx); i%group != 0; i++ {
		b.blocks[i/lanes*lanes*4+i%lanes+3*lanes] = float32(math.Inf(-1)) // out of every beam
	}
	return b
}

// sort copies the first n rays of a front in the order of their cells, which are in
// the column of distances.
func (b *beams) sort(f *front, n int) {
	var next [8 * 2 * curveSide * curveSide]uint32
	for _, cell := range f.t[:n] {
		next[math.Float32bits(cell)%uint32(len(next))]++
	}
	sum := uint32(0)
	for i, count := range next {
		next[i] = sum
		sum += count
	}
	to := b.sorted
	for i := range n {
		cell := &next[math.Float32bits(f.t[i])%uint32(len(next))]
		j := *cell
		*cell++
		b.order[j] = uint32(i)
		to.ox[j], to.oy[j], to.oz[j] = f.ox[i], f.oy[i], f.oz[i]
		to.dx[j], to.dy[j], to.dz[j] = f.dx[i], f.dy[i], f.dz[i]
	}
	// The rest of the last group does not make its beam wider.
	for j := n; j%group != 0; j++ {
		to.ox[j], to.oy[j], to.oz[j] = to.ox[n-1], to.oy[n-1], to.oz[n-1]
		to.dx[j], to.dy[j], to.dz[j] = to.dx[n-1], to.dy[n-1], to.dz[n-1]
	}
}

// unsort copies what the search found for n sorted rays to where they are in the
// front.
func (b *beams) unsort(f *front, n int) {
	for j, i := range b.order[:n] {
		f.t[i], f.hit[i] = b.sorted.t[j], b.sorted.hit[j]
	}
}

// curveSide is the side of the square into which each half of the directions, up
// and down, is divided.
const curveSide = 4
