package tree

import (
	"fmt"
	"math"
	"testing"

	"raysteps/common/scene"
	"raysteps/step13"
)

// pathRays returns rays of paths from the camera, in the order in which a render
// would trace them.
func pathRays(t *Tracer, n int) []Ray {
	const side = 128
	view, rng, s := step13.NewView(step13.NewCamera(&t.camera, 1), side, side), step13.Seeds(0), newSearch(t.world)
	rays := make([]Ray, 0, n)
	for pixel := 0; ; pixel++ {
		view.At(pixel%side, pixel/side%side)
		r := view.Ray(&rng)
		for range 50 {
			if len(rays) == n {
				return rays
			}
			rays = append(rays, r)
			closest, distance := s.closest(&r, tMin, math.MaxFloat32)
			if closest < 0 {
				break
			}
			rec, ok := t.world.Hit(closest, &r, distance), false
			if r, _, ok = rec.Material.Scatter(&r, rec, &rng); !ok {
				break
			}
		}
	}
}

// replay calls a search for rays, sixteen of them so many times, and then the
// next sixteen. An operation is a ray.
func replay(b *testing.B, rays []Ray, repeats int, search func(r *Ray)) {
	const block = 16
	i := 0
	for b.Loop() {
		// Blocks from all over the input, so that a part of them is like all.
		at := i / (block * repeats) * 389
		search(&rays[(at*block+i%block)%len(rays)])
		i++
	}
}

// BenchmarkBuild builds trees. An operation is a sphere.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			spheres := &step13.New(scene.Cloud(n)).World().Spheres
			for b.Loop() {
				newTree(spheres)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*n), "ns/sphere")
		})
	}
}

// experiments are the scenes of the experiments with searches.
var experiments = []struct {
	name  string
	scene func() *scene.Scene
}{
	{"large", scene.Large},
	{"cloud-10000", func() *scene.Scene { return scene.Cloud(10_000) }},
}

const longInput = 1 << 14

// BenchmarkReplay searches for the hits of the same rays in two ways: once, and
// sixteen at a time over and over, which the processor learns by heart.
func BenchmarkReplay(b *testing.B) {
	for _, e := range experiments {
		for _, search := range []string{"tree", "loop"} {
			b.Run("search="+search+"-"+e.name, func(b *testing.B) {
				t := New(e.scene())
				rays, s := pathRays(t, longInput), newSearch(t.world)
				hit := func(r *Ray) { s.closest(r, tMin, math.MaxFloat32) }
				if search == "loop" {
					l := step13.NewFirstPass(&t.world.Spheres)
					hit = func(r *Ray) { l.Closest(r, tMin, math.MaxFloat32) }
				}
				for _, repeats := range []int{64, 1} {
					b.Run(fmt.Sprintf("repeats=%d", repeats), func(b *testing.B) { replay(b, rays, repeats, hit) })
				}
			})
		}
	}
}
