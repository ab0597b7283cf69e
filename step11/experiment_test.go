package step11

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Slack|Points' ./step11

// BenchmarkSlack traces bounces in a room, in which every ray hits, each with so many
// additions of 0 more: between the distance of a hit and what goes on from it, or beside that, where
// nothing waits for them.
func BenchmarkSlack(b *testing.B) {
	t := New(room)
	for _, way := range []string{"between", "beside"} {
		for additions := 8; additions <= 1024; additions *= 2 {
			b.Run(fmt.Sprintf("way=%s/additions=%d", way, additions), func(b *testing.B) {
				t.rng = seed()
				kerneltest.BenchCycles(b, func(n int) {
					r := NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
					zero := math.Float32frombits(none)
					s0, s1, s2, s3 := zeros[0], zeros[1], zeros[2], zeros[3]
					s4, s5, s6, s7 := zeros[4], zeros[5], zeros[6], zeros[7]
					between, beside := additions, 0
					if way == "beside" {
						between, beside = 0, additions
					}
					for range n {
						i, d := t.test.Closest(&r, tMin, math.MaxFloat32)
						for range between / 8 {
							d = d + zero + zero + zero + zero + zero + zero + zero + zero
						}
						for range beside / 8 {
							s0, s1, s2, s3 = s0+zero, s1+zero, s2+zero, s3+zero
							s4, s5, s6, s7 = s4+zero, s5+zero, s6+zero, s7+zero
						}
						rec := t.world.Hit(i, &r, d)
						t.ray, _, _ = (*rec.Material).Scatter(&r, rec, &t.rng)
						r = t.ray
					}
					if sum := s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7; sum != 0 {
						b.Fatal(sum)
					}
				})
			})
		}
	}
}

// BenchmarkPoints traces bounces in the room with points in the ball that are drawn in
// four ways: one where a ray needs it, until a jump says that it is in the ball, or 64 ahead
// without; by one generator, or by one for each coordinate.
func BenchmarkPoints(b *testing.B) {
	t := New(room)
	for _, way := range []struct {
		name  string
		point func(*RNG) Vec3
	}{
		{"drawn=at-need/generators=one", tossOne},
		{"drawn=at-need/generators=three", tossThree},
		{"drawn=ahead/generators=one", aheadOne},
		{"drawn=ahead/generators=three", (*RNG).InUnitBall},
	} {
		b.Run(way.name, func(b *testing.B) {
			t.rng = seed()
			kerneltest.BenchCycles(b, func(n int) {
				r := NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
				for range n {
					i, d := t.test.Closest(&r, tMin, math.MaxFloat32)
					rec := t.world.Hit(i, &r, d)
					r = NewRay(rec.P, rec.N.Add(way.point(&t.rng)))
				}
			})
		})
	}
}

func tossOne(r *RNG) Vec3 {
	for {
		x := xorshift(r.s)
		y := xorshift(x)
		r.s = xorshift(y)
		if p := (Vec3{symmetric(x), symmetric(y), symmetric(r.s)}); p.Dot(p) < 1 {
			return p
		}
	}
}

func tossThree(r *RNG) Vec3 {
	for {
		r.x, r.y, r.z = xorshift(r.x), xorshift(r.y), xorshift(r.z)
		if p := (Vec3{symmetric(r.x), symmetric(r.y), symmetric(r.z)}); p.Dot(p) < 1 {
			return p
		}
	}
}

func aheadOne(r *RNG) Vec3 {
	for r.inside == 0 {
		s, inside := r.s, uint64(0)
		for i := range r.points {
			x := xorshift(s)
			y := xorshift(x)
			s = xorshift(y)
			p := Vec3{symmetric(x), symmetric(y), symmetric(s)}
			r.points[i] = p
			inside |= uint64(math.Float32bits(p.Dot(p)-1)>>31) << i
		}
		r.s, r.inside = s, inside
	}
	i := bits.TrailingZeros64(r.inside) % 64
	r.inside &= r.inside - 1
	return r.points[i]
}

// room is a sphere seen from within: all rays hit it.
var room = &scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
	{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}},
}}

// none is 0, which no compiler knows. Nor does it know that the zeros are equal: eight
// sums that begin with one value would be one sum.
var (
	none  uint32
	zeros [8]float32
)
