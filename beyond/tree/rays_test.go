package tree

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/common/rays"
	"raysteps/common/scene"
	"raysteps/step13"
)

// BenchmarkRays finds what recorded rays hit by the tree.
func BenchmarkRays(b *testing.B) {
	rays.Bench(b, func(sc *scene.Scene) func([]rays.Ray, []rays.Hit) {
		s := newSearch(New(sc).world)
		return func(all []rays.Ray, hits []rays.Hit) {
			for i := range all {
				r := Ray{Origin: Vec3(all[i].Origin), Direction: Vec3(all[i].Direction)}
				sphere, distance := s.closest(&r, tMin, math.MaxFloat32)
				hits[i] = rays.Hit{Sphere: int32(sphere), Distance: distance}
			}
		}
	})
}

// TestRecordRays writes rays of paths of a picture of 256x144 with two samples a pixel,
// its lowest row first, and reads them again.
func TestRecordRays(t *testing.T) {
	const n, width, height, samples = 1 << 17, 256, 144, 2
	sc := rays.Scene(t)
	tr := New(sc)
	view := step13.NewView(step13.NewCamera(&tr.camera, float32(width)/height), width, height)
	rng, s := step13.Seeds(0), newSearch(tr.world)
	var all []rays.Ray
	for path := 0; len(all) < n; path++ {
		pixel := path / samples % (width * height)
		view.At(pixel%width, pixel/width)
		r, ok := view.Ray(&rng), true
		for depth := uint32(0); ok && depth < 50 && len(all) < n; depth++ {
			sphere, distance := s.closest(&r, tMin, math.MaxFloat32)
			all = append(all, rays.Ray{
				Origin: rays.Vec(r.Origin), Direction: rays.Vec(r.Direction), Depth: depth,
				Hit: rays.Hit{Sphere: int32(sphere), Distance: distance},
			})
			if sphere < 0 {
				break
			}
			hit := tr.world.Hit(sphere, &r, distance)
			r, _, ok = hit.Material.Scatter(&r, hit, &rng)
		}
	}
	require.NoError(t, rays.Write(sc, all))
	read, err := rays.Read(sc)
	require.NoError(t, err)
	require.Equal(t, all, read)
}
