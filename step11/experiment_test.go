package step11

import (
	"fmt"
	"math"
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Slack|Chain' ./step11

// BenchmarkSlack traces bounces in a room as Chain does, each with so many additions of 0
// more: between the distance of a hit and what goes on from it, or beside that, where
// nothing waits for them.
func BenchmarkSlack(b *testing.B) {
	t := New(room)
	for _, way := range []string{"between", "beside"} {
		for additions := 8; additions <= 1024; additions *= 2 {
			b.Run(fmt.Sprintf("way=%s/additions=%d", way, additions), func(b *testing.B) {
				t.rng = seeds
				kerneltest.BenchCycles(b, func(n int) {
					r := NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
					zero := math.Float32frombits(none)
					s0, s1, s2, s3, s4, s5, s6, s7 := zeros[0], zeros[1], zeros[2], zeros[3], zeros[4], zeros[5], zeros[6], zeros[7]
					between, beside := additions, 0
					if way == "beside" {
						between, beside = 0, additions
					}
					for range n {
						i, d := t.pass.closest(&r, tMin, math.MaxFloat32)
						for range between / 8 {
							d = d + zero + zero + zero + zero + zero + zero + zero + zero
						}
						for range beside / 8 {
							s0, s1, s2, s3, s4, s5, s6, s7 = s0+zero, s1+zero, s2+zero, s3+zero, s4+zero, s5+zero, s6+zero, s7+zero
						}
						rec := t.world.hit(i, &r, d)
						r, _, _ = rec.Material.Scatter(&r, rec, &t.rng)
					}
					if sum := s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7; sum != 0 {
						b.Fatal(sum)
					}
				})
			})
		}
	}
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

// BenchmarkChain reports how long a link of the chain takes that leads from one ray
// to the next, in cycles. The result of a link is its next input, so that nothing
// overlaps. The rays are in a room, a sphere seen from within: all hit it, and every
// jump is predicted. What makes the input from the result of hit and of surface
// takes a subtraction and an addition, some six cycles; a bounce is all three links
// without that. Camera is a ray from the camera up to the bits of a hit test that
// finds nothing.
func BenchmarkChain(b *testing.B) {
	t := New(room)
	t.rng = seeds
	sky := New(&scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{{Center: [3]float32{0, 1e4, 0}, Radius: 1}}})
	for _, link := range []struct {
		name string
		run  func(n int, r Ray, rec HitRecord, d float32) float32
	}{
		{"hit", func(n int, r Ray, _ HitRecord, d float32) float32 {
			for range n {
				_, d = t.pass.closest(&r, tMin, math.MaxFloat32)
				r.Direction.Z += d - d
			}
			return d
		}},
		{"surface", func(n int, r Ray, rec HitRecord, d float32) float32 {
			for range n {
				rec = t.world.hit(0, &r, d)
				d += rec.N.X - rec.N.X
			}
			return d
		}},
		{"scatter", func(n int, r Ray, rec HitRecord, _ float32) float32 {
			for range n {
				next, _, _ := rec.Material.Scatter(&r, rec, &t.rng)
				rec.N = next.Direction
			}
			return rec.N.X
		}},
		{"bounce", func(n int, r Ray, rec HitRecord, d float32) float32 {
			i := 0
			for range n {
				i, d = t.pass.closest(&r, tMin, math.MaxFloat32)
				rec = t.world.hit(i, &r, d)
				r, _, _ = rec.Material.Scatter(&r, rec, &t.rng)
			}
			return d
		}},
		{"camera", func(n int, _ Ray, _ HitRecord, d float32) float32 {
			sky.rng, sky.rays, sky.attenuations = seeds, 0, make([]Vec3, 50)
			view := NewView(NewCamera(&sky.camera, 16./9), 320, 180)
			for i := 0; sky.rays < int64(n); i++ {
				sky.rng.next += uint(uint32(sky.pass.candidates[0]) & none)
				view.At(i%320, i/320%180)
				sky.color(view.Ray(&sky.rng))
			}
			return d
		}},
	} {
		b.Run("link="+link.name, func(b *testing.B) {
			r := NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
			_, d := t.pass.closest(&r, tMin, math.MaxFloat32)
			rec := t.world.hit(0, &r, d)
			kerneltest.BenchCycles(b, func(n int) { link.run(n, r, rec, d) })
		})
	}
}
