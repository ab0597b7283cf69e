//go:build goexperiment.simd && go1.27 && (amd64 || arm64) && !purego

package archsimd

import "simd/archsimd"

// places are the bits that the lanes of a mask become.
var places = [4]int32{1, 2, 4, 8}

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
	zero, bits := archsimd.BroadcastInt32x4(0), archsimd.LoadInt32x4Array(&places)
	candidates, word := p.candidates, uint64(0)
	for i := 0; i <= end-4; i += 4 {
		cox := archsimd.LoadFloat32x4(cx[i : i+4 : i+4]).Sub(ox)
		coy := archsimd.LoadFloat32x4(cy[i : i+4 : i+4]).Sub(oy)
		coz := archsimd.LoadFloat32x4(cz[i : i+4 : i+4]).Sub(oz)
		nb := coz.MulAdd(dz, coy.MulAdd(dy, cox.Mul(dx)))
		c := coz.MulAdd(coz, coy.MulAdd(coy, cox.Mul(cox))).Sub(archsimd.LoadFloat32x4(radiusSq[i : i+4 : i+4]))
		discriminant := nb.Mul(nb).Sub(c)
		// Both processors compare for less.
		mask := maskBits4(discriminant.ToBits().BitsToInt32().Less(zero), bits) ^ 15
		if mask != 0 {
			nb.Store(nbs[i : i+4 : i+4])
			discriminant.Store(discriminants[i : i+4 : i+4])
			word |= mask << (uint(i) % 64)
		}
		if uint(i)%64 == 60 {
			candidates[i/64] = word
			word = 0
		}
	}
	if end%64 != 0 {
		candidates[end/64] = word
	}
	cleanUppers()
}
