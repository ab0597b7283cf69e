package tree

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
	"raysteps/step13"
)

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

// BenchmarkReplay searches for the hits of the same rays in two ways: once, and
// sixteen at a time over and over, which the processor learns by heart.
func BenchmarkReplay(b *testing.B) {
	for _, name := range []string{"large", "cloud=10000"} {
		for _, search := range []string{"tree", "loop"} {
			b.Run("search="+search+"-"+strings.ReplaceAll(name, "=", "-"), func(b *testing.B) {
				sc, err := scene.ByName(name)
				require.NoError(b, err)
				t := New(sc)
				var rays []Ray
				for _, r := range pathRays(t, 1<<14) {
					rays = append(rays, rayOf(&r))
				}
				s := newSearch(t.world)
				hit := func(r *Ray) { s.Closest(r, tMin, math.MaxFloat32) }
				if search == "loop" {
					l := step13.NewHitTest(&t.world.Spheres)
					hit = func(r *Ray) { l.Closest(r, tMin, math.MaxFloat32) }
				}
				for _, repeats := range []int{64, 1} {
					b.Run(fmt.Sprintf("repeats=%d", repeats), func(b *testing.B) { replay(b, rays, repeats, hit) })
				}
			})
		}
	}
}
