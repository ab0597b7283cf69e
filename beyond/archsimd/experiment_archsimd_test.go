//go:build goexperiment.simd && amd64 && !purego

package archsimd

import (
	"math/rand/v2"
	"simd/archsimd"
	"testing"

	"raysteps/common/kerneltest"
)

// runChecked is run256 with slices cut as one would at first. The compiler does
// not see that they are long enough, and checks.
func runChecked(p *firstPass, r *Ray) {
	cx, cy, cz, radiusSq := p.cx, p.cy, p.cz, p.radiusSq
	ox := archsimd.BroadcastFloat32x8(r.Origin.X)
	oy := archsimd.BroadcastFloat32x8(r.Origin.Y)
	oz := archsimd.BroadcastFloat32x8(r.Origin.Z)
	dx := archsimd.BroadcastFloat32x8(r.Direction.X)
	dy := archsimd.BroadcastFloat32x8(r.Direction.Y)
	dz := archsimd.BroadcastFloat32x8(r.Direction.Z)
	zero := archsimd.BroadcastInt32x8(0)
	clear(p.candidates)
	for i := 0; i < len(cx); i += 8 {
		cox := load8(cx[i:]).Sub(ox)
		coy := load8(cy[i:]).Sub(oy)
		coz := load8(cz[i:]).Sub(oz)
		nb := coz.MulAdd(dz, coy.MulAdd(dy, cox.Mul(dx)))
		c := coz.MulAdd(coz, coy.MulAdd(coy, cox.Mul(cox))).Sub(load8(radiusSq[i:]))
		discriminant := nb.Mul(nb).Sub(c)
		if mask := ^zero.Greater(discriminant.AsInt32x8()).ToBits(); mask != 0 {
			store8(nb, p.nb[i:])
			store8(discriminant, p.discriminants[i:])
			p.candidates[i/64] |= uint64(mask) << (uint(i) % 64)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// BenchmarkBounds compares run256 with a version that checks bounds; an
// operation is a ray past 484 spheres.
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Bounds ./beyond/archsimd
func BenchmarkBounds(b *testing.B) {
	if !has256 {
		b.Skip("not measured: the processor has no AVX2 and FMA")
	}
	rng := rand.New(rand.NewPCG(14, 2))
	spheres := make([]kerneltest.Sphere, 484)
	for i := range spheres {
		spheres[i] = kerneltest.Sphere{Center: kerneltest.RandomRay(rng, nil).Origin, RadiusSq: 0.02}
	}
	p := newFirstPass(&worldOf(spheres).Spheres)
	var rays [4096]Ray
	for i := range rays {
		r := kerneltest.RandomRay(rng, nil)
		rays[i] = Ray{vec3(r.Origin), vec3(r.Direction)}
	}
	for _, bb := range []struct {
		name string
		run  func(p *firstPass, r *Ray)
	}{{"known", run256}, {"checked", runChecked}} {
		b.Run("bounds="+bb.name, func(b *testing.B) {
			i := uint(0)
			for b.Loop() {
				bb.run(p, &rays[i%uint(len(rays))])
				i++
			}
		})
	}
}
