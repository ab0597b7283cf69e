package step13

import (
	"testing"

	"raysteps/common/steptest"
)

// The kernel and what it is given are those of step 12, which tests them. The memory that
// hit.go allocates for them, for each worker apart, is what differs.
func TestKernel(t *testing.T) {
	steptest.SameFiles(t, "step12", "hit_amd64.go", "hit_amd64.s", "hit_arm64.go", "hit_arm64.s", "hit_noasm.go",
		"sphere.go", "sphere_soa.go", "world.go", "material.go", "vec.go", "ray.go", "camera.go")
}
