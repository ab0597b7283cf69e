package tree

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/beyond/tracing"
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
				r := rayOf(&all[i])
				sphere, distance := s.Closest(&r, tMin, math.MaxFloat32)
				hits[i] = rays.Hit{Sphere: int32(sphere), Distance: distance}
			}
		}
	})
}

// pathRays returns rays of paths of a picture of 256x144 with two samples a pixel, its lowest
// row first, in the order in which a render would trace them, and what they hit.
func pathRays(t *Tracer, n int) []rays.Ray {
	const width, height, samples = 256, 144, 2
	camera := step13.NewCamera(&t.camera, float32(width)/height)
	rng, s := step13.TileRNG(0), newSearch(t.world)
	var all []rays.Ray
	for path := 0; len(all) < n; path++ {
		pixel := path / samples % (width * height)
		r, ok := tracing.CameraRay(&camera, pixel%width, pixel/width, 1./width, 1./height, &rng), true
		for depth := uint32(0); ok && depth < 50 && len(all) < n; depth++ {
			sphere, distance := s.Closest(&r, tMin, math.MaxFloat32)
			all = append(all, rays.Ray{
				Origin: rays.Vec(r.Origin), Direction: rays.Vec(r.Direction), Depth: depth,
				Hit: rays.Hit{Sphere: int32(sphere), Distance: distance},
			})
			if sphere < 0 {
				break
			}
			hit := t.world.Hit(sphere, &r, distance)
			r, _, ok = (*hit.Material).Scatter(&r, hit, &rng)
		}
	}
	return all
}

// rayOf returns a recorded ray as the search takes it.
func rayOf(r *rays.Ray) Ray { return Ray{Origin: Vec3(r.Origin), Direction: Vec3(r.Direction)} }

// TestRecordRays writes rays and reads them again.
func TestRecordRays(t *testing.T) {
	sc := rays.Scene(t)
	all := pathRays(New(sc), 1<<17)
	require.NoError(t, rays.Write(sc, all))
	read, err := rays.Read(sc)
	require.NoError(t, err)
	require.Equal(t, all, read)
}
