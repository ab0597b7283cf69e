//go:build !purego

package experiments

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
)

var firstPasses = []struct {
	name  string
	run   func(p *HitTest, r *Ray)
	fused bool
}{
	{"bits=128/operands=two/fused=no/start=0", two128, false},
	{"bits=128/operands=three/fused=no/start=0", three128, false},
	{"bits=128/operands=three/fused=yes/start=0", fused128, true},
	{"bits=256/operands=three/fused=no/start=0", three256, false},
	{"bits=256/operands=three/fused=yes/start=0", fused256, true},
	{"bits=128/operands=two/fused=no/start=32", two128Odd, false},
	{"bits=256/operands=three/fused=yes/start=32", fused256Odd, true},
}

// padded returns the wall with columns of 496 spheres, the last of which nothing hits.
func padded() (*HitTest, []Ray) {
	const n = 496
	shared, rays := wall()
	p := new(HitTest)
	*p = *shared
	for _, column := range []*[]float32{&p.cx, &p.cy, &p.cz, &p.radiusSq, &p.nb, &p.discriminants} {
		*column = (*column)[:n]
	}
	for i := spheres; i < n; i++ {
		p.radiusSq[i] = float32(math.Inf(-1))
	}
	return p, rays
}

// BenchmarkFirst: the first pass over 484 spheres, in cycles per sphere.
func BenchmarkFirst(b *testing.B) {
	for _, pass := range firstPasses {
		b.Run(pass.name, func(b *testing.B) {
			need(b, true)
			p, rays := padded()
			b.ReportMetric(cyclesOf(b, warm*spheres, func(i int) {
				some := rays[i*warm%len(rays):][:warm]
				for j := range some {
					pass.run(p, &some[j])
				}
			}), "cycles/sphere")
		})
	}
}

// Each pass computes what plain Go does, to the bit, and sets the bits of all that are not negative.
func TestFirst(t *testing.T) {
	if !hasAVX2 {
		t.Skip("the processor lacks AVX2 or FMA")
	}
	p, rays := padded()
	for _, r := range rays[:200] {
		for _, pass := range firstPasses {
			plus := func(a, b, c float32) float32 { return c + float32(a*b) }
			if pass.fused {
				plus = fma
			}
			pass.run(p, &r)
			for i, got := range p.discriminants {
				x, y, z := r.Origin.X-p.cx[i], r.Origin.Y-p.cy[i], r.Origin.Z-p.cz[i]
				nb := plus(r.Direction.Z, z, plus(r.Direction.Y, y, float32(r.Direction.X*x)))
				c := plus(z, z, plus(y, y, float32(x*x))) - p.radiusSq[i]
				want := float32(nb*nb) - c
				assert.Equal(t, want, got, "%s, sphere %d", pass.name, i)
				assert.Equal(t, nb, p.nb[i], "%s, sphere %d", pass.name, i)
				assert.Equal(t, !math.Signbit(float64(want)), bits.TrailingZeros64(p.Candidates[i/64]>>(i%64)) == 0, "%s, sphere %d", pass.name, i)
			}
		}
	}
}

// fma rounds once.
func fma(a, b, c float32) float32 { return float32(math.FMA(float64(a), float64(b), float64(c))) }
