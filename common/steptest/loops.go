package steptest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Loop is one of the forms of a loop over the spheres that an experiment compares. It
// reports whether there is a hit, and leaves in rec what it found.
type Loop[Ray any, Hit comparable] struct {
	Name string
	Hit  func(r *Ray, tMin, tMax float32, rec *Hit) bool
}

// BenchLoops times each loop on the same rays; an operation is a ray.
func BenchLoops[Ray any, Hit comparable](
	b *testing.B, rays func() (next func() Ray), loops []Loop[Ray, Hit],
) {
	for _, l := range loops {
		b.Run(l.Name, func(b *testing.B) {
			next, ray, rec := rays(), new(Ray), new(Hit)
			for b.Loop() {
				*ray = next()
				l.Hit(ray, 0.001, math.MaxFloat32, rec)
			}
		})
	}
}

// SameHits holds loops to the first of them, for a thousand rays of which some hit.
func SameHits[Ray any, Hit comparable](t testing.TB, rays func() (next func() Ray), loops []Loop[Ray, Hit]) {
	t.Helper()
	hits, next := 0, rays()
	for range 1000 {
		r := next()
		var want Hit
		hit := loops[0].Hit(&r, 0.001, math.MaxFloat32, &want)
		for _, l := range loops[1:] {
			var got Hit
			if ok := l.Hit(&r, 0.001, math.MaxFloat32, &got); ok != hit || got != want {
				t.Fatalf("%s, %v: %v %v; want %v %v", l.Name, r, ok, got, hit, want)
			}
		}
		if hit {
			hits++
		}
	}
	require.NotZero(t, hits)
}
