//go:build goexperiment.simd && go1.27 && (amd64 || arm64) && !purego

package archsimd

import "simd/archsimd"

// places are the bits that the lanes of a mask become.
var places = [4]int32{1, 2, 4, 8}

// run128 is the first pass, four spheres at a time.
func run128(p *firstPass, r Ray) {
	ox := archsimd.BroadcastFloat32x4(r.Origin.X)
	oy := archsimd.BroadcastFloat32x4(r.Origin.Y)
	oz := archsimd.BroadcastFloat32x4(r.Origin.Z)
	dx := archsimd.BroadcastFloat32x4(-r.Direction.X)
	dy := archsimd.BroadcastFloat32x4(-r.Direction.Y)
	dz := archsimd.BroadcastFloat32x4(-r.Direction.Z)
	zero, bits := archsimd.BroadcastInt32x4(0), archsimd.LoadInt32x4Array(&places)
	clear(p.candidates)
	for i := range p.blocks {
		b := &p.blocks[i]
		word := uint64(0)
		for j := 0; j < 16; j += 4 {
			ocx := ox.Sub(archsimd.LoadFloat32x4(b.cx[j : j+4]))
			ocy := oy.Sub(archsimd.LoadFloat32x4(b.cy[j : j+4]))
			ocz := oz.Sub(archsimd.LoadFloat32x4(b.cz[j : j+4]))
			nb := ocz.MulAdd(dz, ocy.MulAdd(dy, ocx.Mul(dx)))
			c := ocz.MulAdd(ocz, ocy.MulAdd(ocy, ocx.Mul(ocx))).Sub(archsimd.LoadFloat32x4(b.radiusSq[j : j+4]))
			discriminant := nb.Mul(nb).Sub(c)
			// Both processors compare for less.
			mask := maskBits4(discriminant.ToBits().BitsToInt32().Less(zero), bits) ^ 15
			if mask != 0 {
				nb.Store(b.nb[j : j+4])
				discriminant.Store(b.discriminant[j : j+4])
				word |= mask << (uint(j) % 64)
			}
		}
		p.candidates[i/4] |= word << (uint(i) % 4 * 16)
	}
	cleanUppers()
}
