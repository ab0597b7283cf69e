package wavefront

import (
	"testing"

	"raysteps/common/rays"
	"raysteps/common/scene"
)

// BenchmarkRays finds what recorded rays hit by the search for many, a full front at a
// time. None of them is in a bundle: those of the camera are searched for as others are.
func BenchmarkRays(b *testing.B) {
	rays.Bench(b, func(sc *scene.Scene) func([]rays.Ray, []rays.Hit) {
		t := New(sc)
		s, f := t.newSearch(), newFront()
		return func(all []rays.Ray, hits []rays.Hit) {
			for from := 0; from < len(all); from += t.live {
				f.n = min(t.live, len(all)-from)
				for i, r := range all[from:][:f.n] {
					o, d := r.Origin, r.Direction
					f.ox[i], f.oy[i], f.oz[i] = o.X+tMin*d.X, o.Y+tMin*d.Y, o.Z+tMin*d.Z
					f.dx[i], f.dy[i], f.dz[i] = d.X, d.Y, d.Z
				}
				t.form.hit(s, f)
				for i := range f.n {
					hits[from+i] = rays.Hit{Sphere: int32(f.hit[i]) - 1, Distance: f.t[i] + tMin}
				}
			}
		}
	})
}
