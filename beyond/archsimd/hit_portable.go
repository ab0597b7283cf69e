//go:build goexperiment.simd && go1.27 && (amd64 || arm64) && !purego

package archsimd

import "simd"

// hasPortable says that runPortable gives the same bytes. Where the package simd
// imitates vectors, its MulAdd rounds twice.
func hasPortable() bool { return !simd.Emulated() }

// portableBits is the width of vectors in runPortable: what the processor has, or
// what GODEBUG=simd=128, 256 or 512 chooses when the program starts.
func portableBits() int { return simd.VectorBitSize() }

// runPortable takes columns of a multiple of sixteen elements. The compiler makes
// a function of it for each width.
func runPortable(p *firstPass, r *Ray) {
	end := len(p.cx)
	cx, cy, cz, radiusSq := p.cx[:end:end], p.cy[:end:end], p.cz[:end:end], p.radiusSq[:end:end]
	nbs, discriminants := p.nb[:end:end], p.discriminants[:end:end]

	ox := simd.BroadcastFloat32s(r.Origin.X)
	oy := simd.BroadcastFloat32s(r.Origin.Y)
	oz := simd.BroadcastFloat32s(r.Origin.Z)
	dx := simd.BroadcastFloat32s(r.Direction.X)
	dy := simd.BroadcastFloat32s(r.Direction.Y)
	dz := simd.BroadcastFloat32s(r.Direction.Z)
	zero := simd.BroadcastInt32s(0)
	lanes := ox.Len()
	candidates, word := p.candidates, uint64(0)
	for i := 0; i <= end-lanes; i += lanes {
		cox := simd.LoadFloat32s(cx[i:]).Sub(ox)
		coy := simd.LoadFloat32s(cy[i:]).Sub(oy)
		coz := simd.LoadFloat32s(cz[i:]).Sub(oz)
		nb := coz.MulAdd(dz, coy.MulAdd(dy, cox.Mul(dx)))
		c := coz.MulAdd(coz, coy.MulAdd(coy, cox.Mul(cox))).Sub(simd.LoadFloat32s(radiusSq[i:]))
		discriminant := nb.Mul(nb).Sub(c)
		mask := maskBits(discriminant.ToBits().BitsToInt32().GreaterEqual(zero))
		if mask != 0 {
			nb.Store(nbs[i:])
			discriminant.Store(discriminants[i:])
			word |= mask << (uint(i) % 64)
		}
		if (i+lanes)%64 == 0 {
			candidates[i/64] = word
			word = 0
		}
	}
	if end%64 != 0 {
		candidates[end/64] = word
	}
	cleanUppers()
}
