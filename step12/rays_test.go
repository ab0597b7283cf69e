package step12

import (
	"math"
	"testing"

	"raysteps/common/rays"
	"raysteps/common/scene"
)

// BenchmarkRays finds what recorded rays hit by the loop.
func BenchmarkRays(b *testing.B) {
	rays.Bench(b, func(sc *scene.Scene) func([]rays.Ray, []rays.Hit) {
		pass := New(sc).pass
		return func(all []rays.Ray, hits []rays.Hit) {
			for i := range all {
				r := Ray{Vec3(all[i].Origin), Vec3(all[i].Direction)}
				sphere, distance := pass.closest(&r, tMin, math.MaxFloat32)
				hits[i] = rays.Hit{Sphere: int32(sphere), Distance: distance}
			}
		}
	})
}
