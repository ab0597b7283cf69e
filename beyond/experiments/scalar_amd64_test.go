//go:build !purego

package experiments

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// scalars are the first pass of step 8: with SSE's instructions or AVX's, with a load of its own
// for each coordinate of a center or within the subtraction, with copies or without.
var scalars = []struct {
	name string
	run  func(c *columns, r *Ray)
}{
	{"code=sse/copies=nine/loads=apart", sseApart},
	{"code=sse/copies=nine/loads=within", sseWithin},
	{"code=avx/copies=nine/loads=apart", avxApart},
	{"code=avx/copies=nine/loads=within", avxWithin},
	{"code=avx/copies=none/loads=apart", uncopiedApart},
	{"code=avx/copies=none/loads=within", uncopiedWithin},
}

// starts are the first of them at every fourth place in a block of 64 bytes, and the last at its
// beginning.
var starts = []func(c *columns, r *Ray){
	start4, start8, start12, start16, start20, start24, start28,
	start32, start36, start40, start44, start48, start52, start56, start60, sseApart,
}

// extras are the last of them beside none, six and twelve instructions that nothing waits for.
var extras = []struct {
	name string
	runs [3]func(c *columns, r *Ray)
}{
	{"float-loads", [3]func(c *columns, r *Ray){uncopiedWithin, floats6, floats12}},
	{"integer-loads", [3]func(c *columns, r *Ray){uncopiedWithin, ints6, ints12}},
	{"no-ops", [3]func(c *columns, r *Ray){uncopiedWithin, nops6, nops12}},
}

// scalarWall returns spheres and rays of the wall.
func scalarWall() (*columns, []Ray) {
	p, rays := wall()
	c := &columns{p.cx[:spheres], p.cy[:spheres], p.cz[:spheres], nil, make([]float32, spheres)}
	for _, sq := range p.radiusSq[:spheres] {
		c.radius = append(c.radius, float32(math.Sqrt(float64(sq))))
	}
	return c, rays
}

// BenchmarkScalar: an operation is a sphere.
func BenchmarkScalar(b *testing.B) {
	for _, form := range scalars {
		b.Run(form.name, func(b *testing.B) {
			need(b, true)
			c, rays := scalarWall()
			b.ReportMetric(cyclesOf(b, spheres, func(i int) { form.run(c, &rays[i%len(rays)]) }), "cycles/sphere")
		})
	}
}

// BenchmarkExtra: an operation is a sphere. What is it worth that nothing waits for an instruction?
func BenchmarkExtra(b *testing.B) {
	for _, kind := range extras {
		for i, run := range kind.runs {
			b.Run(fmt.Sprintf("extra=%s/number=%d", kind.name, 6*i), func(b *testing.B) {
				need(b, true)
				c, rays := scalarWall()
				b.ReportMetric(cyclesOf(b, spheres, func(i int) { run(c, &rays[i%len(rays)]) }), "cycles/sphere")
			})
		}
	}
}

// BenchmarkStart: an operation is a sphere, by the same instructions at another place.
func BenchmarkStart(b *testing.B) {
	for i, run := range starts {
		b.Run(fmt.Sprintf("start=%d", 4*(i+1)), func(b *testing.B) {
			need(b, true)
			c, rays := scalarWall()
			b.ReportMetric(cyclesOf(b, spheres, func(i int) { run(c, &rays[i%len(rays)]) }), "cycles/sphere")
		})
	}
}

// All forms compute what step 8 does, to the bit.
func TestScalar(t *testing.T) {
	if !hasAVX2 {
		t.Skip("the processor lacks AVX")
	}
	c, rays := scalarWall()
	for _, r := range rays[:100] {
		r.Origin = Vec3{r.Direction.Y, 0.5, r.Direction.X}
		var want []float32
		for i := range c.x {
			x, y, z := r.Origin.X-c.x[i], r.Origin.Y-c.y[i], r.Origin.Z-c.z[i]
			d, square := r.Direction, float32(c.radius[i]*c.radius[i])
			a := float32(d.X*d.X) + float32(d.Y*d.Y) + float32(d.Z*d.Z)
			b := float32(x*d.X) + float32(y*d.Y) + float32(z*d.Z)
			want = append(want, float32(b*b)-float32(a*(float32(x*x)+float32(y*y)+float32(z*z)-square)))
		}
		for _, form := range scalars {
			clear(c.discriminant)
			form.run(c, &r)
			assert.Equal(t, want, c.discriminant, form.name)
		}
		for _, kind := range extras {
			for i, run := range kind.runs {
				clear(c.discriminant)
				run(c, &r)
				assert.Equal(t, want, c.discriminant, "%d %s", 6*i, kind.name)
			}
		}
		for i, run := range starts {
			clear(c.discriminant)
			run(c, &r)
			assert.Equal(t, want, c.discriminant, "start %d", 4*(i+1))
		}
	}
}
