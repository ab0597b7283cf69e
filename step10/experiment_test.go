package step10

import (
	"math"
	"testing"

	"raysteps/common/kerneltest"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench Lengths ./step10

// BenchmarkLengths runs the hit test over more and more spheres, by the twin and by the
// kernel; an operation is a ray.
func BenchmarkLengths(b *testing.B) {
	kerneltest.BenchLengths(b, &suite, "plain", func(h *HitTest, rays []Ray, n int) {
		for i := range n {
			h.runGeneric(&rays[i%len(rays)])
			h.secondPass(tMin, math.MaxFloat32)
		}
	})
	kerneltest.BenchLengths(b, &suite, "sse", func(h *HitTest, rays []Ray, n int) {
		for i := range n {
			h.Closest(&rays[i%len(rays)], tMin, math.MaxFloat32)
		}
	})
}
