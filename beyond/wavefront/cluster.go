package wavefront

import (
	"cmp"
	"slices"

	"raysteps/common/scene"
)

// many is from how many spheres on a search asks first about balls around spheres that
// are near each other: sixteen rays about each ball, and then about the spheres in those
// that one of the rays meets. Where spheres are in a cloud, and balls large, fewer do not pay.
const many = 320

// cluster is how many spheres are in a ball.
const cluster = 16

// popular is how many of a group of rays must meet a ball so that all ask about its spheres, one
// by one. Of fewer, each asks about all spheres of the ball at once.
const popular = 5

// sorted returns the spheres of a scene in an order in which those of a ball
// are near each other. The largest are the first if they are much larger than most. Those
// that coincide keep their order, since of equal hits the first counts.
func sorted(all []scene.Sphere) []scene.Sphere {
	if len(all) < many {
		return all
	}
	all, sum := slices.Clone(all), float32(0)
	for i := range all {
		sum += abs(all[i].Radius)
	}
	larger := func(a, b scene.Sphere) int { return cmp.Compare(abs(b.Radius), abs(a.Radius)) }
	slices.SortStableFunc(all, larger)
	first := 0
	if abs(all[0].Radius)*float32(len(all)) > 10*sum {
		first = cluster
	}
	divide(all[first:])
	return all
}

// divide sorts spheres along the axis in which their centers are furthest apart, and
// then each half.
func divide(all []scene.Sphere) {
	if len(all) <= cluster {
		return
	}
	axis, widest := 0, float32(-1)
	for a := range 3 {
		lo, hi := all[0].Center[a], all[0].Center[a]
		for i := range all {
			lo, hi = min(lo, all[i].Center[a]), max(hi, all[i].Center[a])
		}
		if hi-lo > widest {
			axis, widest = a, hi-lo
		}
	}
	before := func(a, b scene.Sphere) int { return cmp.Compare(a.Center[axis], b.Center[axis]) }
	slices.SortStableFunc(all, before)
	half := (len(all)/cluster + 1) / 2 * cluster
	divide(all[:half])
	divide(all[half:])
}

// nesting is how many balls are in a ball of balls.
const nesting = 8

// nested is from how many balls on there are balls of balls. A ray that meets one looks to the
// balls in it, and so on: in a cloud, the rays of a group go different ways.
const nested = 96

// newBalls returns balls around so many spheres each, which are sorted; all rays start within
// a distance of the origin of the coordinates. A ball reaches as far as the spheres, or so many
// times as far. The sieve lets a ray through to a sphere
// whose center is no further than its reach to the side and up, and so no further than
// 1.42 times that, which a ball of spheres holds. What is rounded on the way to a ball, and in the
// test of it, is less than 2⁻¹⁷ of the distances.
func newBalls(s *spheres, distance float32, size int, reaches float32) *spheres {
	b := newSpheres((len(s.cx) + size - 1) / size)
	for from := 0; from < len(s.cx); from += size {
		to := min(from+size, len(s.cx))
		at := func(i int) Vec3 { return vec(s.cx[i], s.cy[i], s.cz[i]) }
		lo, hi, reach := at(from), at(from), float32(0)
		for i := from; i < to; i++ {
			p, r := at(i), s.reach[i]
			lo = vec(min(lo.X, p.X-r), min(lo.Y, p.Y-r), min(lo.Z, p.Z-r))
			hi = vec(max(hi.X, p.X+r), max(hi.Y, p.Y+r), max(hi.Z, p.Z+r))
		}
		// The center moves toward what sticks out furthest, ever less (Badoiu and Clarkson 2003).
		center := lo.Add(hi).Scale(0.5)
		for step := range 64 {
			furthest, toward := float32(0), Vec3{}
			for i := from; i < to; i++ {
				d := at(i).Sub(center)
				if length := d.Length(); length+s.reach[i] > furthest {
					furthest, toward = length+s.reach[i], d.Scale(1/(length+tiny))
				}
			}
			center = center.Add(toward.Scale(furthest / float32(step+2)))
		}
		for i := from; i < to; i++ {
			reach = max(reach, at(i).Sub(center).Length()+reaches*s.reach[i])
		}
		b.cx, b.cy, b.cz = append(b.cx, center.X), append(b.cy, center.Y), append(b.cz, center.Z)
		b.reach = append(b.reach, reach+(center.Length()+distance)/(1<<17))
	}
	b.radiusSq = b.reach // which nobody reads
	return b
}
