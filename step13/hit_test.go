package step13

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The kernel and what it is given are those of step 12, which tests them. The memory that
// hit.go allocates for them, for each worker apart, is what differs.
func TestKernel(t *testing.T) {
	steptest.SameFiles(t, "step12", "hit_amd64.go", "hit_amd64.s", "hit_arm64.go", "hit_arm64.s", "hit_noasm.go",
		"sphere.go", "sphere_soa.go", "world.go", "material.go", "vec.go", "ray.go", "camera.go")
}

// Kernel and twin say the same in the memory of a worker, and draw the same points, from
// the seeds of a tile on.
func TestTwins(t *testing.T) {
	world := New(scene.Large()).world
	pass, twin := newFirstPass(&world.Spheres), newFirstPass(&world.Spheres)
	draws, twins := seeds(7), seeds(7)
	hits := 0
	for range 1000 {
		draws.draw()
		twins.drawGeneric()
		require.Equal(t, twins, draws)
		direction := Vec3{draws.px[0], draws.py[0], draws.pz[0]}.Unit()
		r := Ray{Vec3{0, 1, 5}, direction}
		closest, distance := pass.closest(&r, tMin, math.MaxFloat32)
		want, wanted := closestGeneric(twin, &r, tMin, math.MaxFloat32)
		require.Equal(t, want, closest, "%v", r)
		require.Equal(t, wanted, distance, "%v", r)
		if want >= 0 {
			hits++
		}
	}
	require.Greater(t, hits, 100)
}
