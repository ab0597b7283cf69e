//go:build goexperiment.simd && go1.27 && !purego

package archsimd

import "simd/archsimd"

// What the processor can do. Variables, since a test of all forms sets them.
var has512, has256, has128 = false, false, true

func run512(p *firstPass, r *Ray) { panic("arm64 has no registers of 512 bits") }
func run256(p *firstPass, r *Ray) { panic("arm64 has no registers of 256 bits") }

// run128 takes columns of a multiple of four elements.
func run128(p *firstPass, r *Ray) {
	end := len(p.cx)
	cx, cy, cz, radiusSq := p.cx[:end:end], p.cy[:end:end], p.cz[:end:end], p.radiusSq[:end:end]
	nbs, discriminants := p.nb[:end:end], p.discriminants[:end:end]

	ox := archsimd.BroadcastFloat32x4(r.Origin.X)
	oy := archsimd.BroadcastFloat32x4(r.Origin.Y)
	oz := archsimd.BroadcastFloat32x4(r.Origin.Z)
	dx := archsimd.BroadcastFloat32x4(r.Direction.X)
	dy := archsimd.BroadcastFloat32x4(r.Direction.Y)
	dz := archsimd.BroadcastFloat32x4(r.Direction.Z)
	zero := archsimd.BroadcastInt32x4(0)
	places := archsimd.LoadInt32x4Array(&[4]int32{1, 2, 4, 8})
	candidates, word := p.candidates, uint64(0)
	for i := 0; i <= end-4; i += 4 {
		cox := archsimd.LoadFloat32x4(cx[i : i+4 : i+4]).Sub(ox)
		coy := archsimd.LoadFloat32x4(cy[i : i+4 : i+4]).Sub(oy)
		coz := archsimd.LoadFloat32x4(cz[i : i+4 : i+4]).Sub(oz)
		nb := coz.MulAdd(dz, coy.MulAdd(dy, cox.Mul(dx)))
		c := coz.MulAdd(coz, coy.MulAdd(coy, cox.Mul(cox))).Sub(archsimd.LoadFloat32x4(radiusSq[i : i+4 : i+4]))
		discriminant := nb.Mul(nb).Sub(c)
		// No method makes bits of a mask: each lane keeps a bit of its own, and
		// their sum has them all.
		set := discriminant.ToBits().BitsToInt32().GreaterEqual(zero).ToInt32x4()
		mask := set.And(places).ReduceSum()
		if mask != 0 {
			nb.Store(nbs[i : i+4 : i+4])
			discriminant.Store(discriminants[i : i+4 : i+4])
			word |= uint64(mask) << (uint(i) % 64)
		}
		if uint(i)%64 == 60 {
			candidates[i/64] = word
			word = 0
		}
	}
	if end%64 != 0 {
		candidates[end/64] = word
	}
}
