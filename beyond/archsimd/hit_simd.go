//go:build goexperiment.simd && go1.27 && (amd64 || arm64) && !purego

package archsimd

import (
	"fmt"
	"simd"
	"slices"
)

func init() {
	// Where the package imitates vectors, its MulAdd rounds twice.
	if !simd.Emulated() {
		portable := kernel{name: fmt.Sprint("simd", simd.VectorBitSize()), run: runSIMD}
		kernels = slices.Insert(kernels, 1, portable) // archsimd is better, in whatever order files are
	}
}

// runSIMD is the first pass, as many spheres at a time as the registers are wide, or as
// GODEBUG=simd=128, 256 or 512 says when the program starts. The compiler makes a
// function of it for each width.
func runSIMD(p *hitTest, r Ray) {
	ox := simd.BroadcastFloat32s(r.Origin.X)
	oy := simd.BroadcastFloat32s(r.Origin.Y)
	oz := simd.BroadcastFloat32s(r.Origin.Z)
	dx := simd.BroadcastFloat32s(-r.Direction.X)
	dy := simd.BroadcastFloat32s(-r.Direction.Y)
	dz := simd.BroadcastFloat32s(-r.Direction.Z)
	zero := simd.BroadcastInt32s(0)
	lanes := ox.Len()
	clear(p.candidates)
	for i := range p.blocks {
		b := &p.blocks[i]
		word := uint64(0)
		for j := 0; j < 16; j += lanes {
			ocx := ox.Sub(simd.LoadFloat32s(b.cx[j:]))
			ocy := oy.Sub(simd.LoadFloat32s(b.cy[j:]))
			ocz := oz.Sub(simd.LoadFloat32s(b.cz[j:]))
			nb := ocz.MulAdd(dz, ocy.MulAdd(dy, ocx.Mul(dx)))
			c := ocz.MulAdd(ocz, ocy.MulAdd(ocy, ocx.Mul(ocx))).Sub(simd.LoadFloat32s(b.radiusSq[j:]))
			discriminant := nb.Mul(nb).Sub(c)
			nb.Store(b.nb[j:])
			discriminant.Store(b.discriminant[j:])
			word |= maskBits(discriminant.ToBits().BitsToInt32().GreaterEqual(zero)) << (uint(j) % 64)
		}
		p.candidates[i/4] |= word << (uint(i) % 4 * 16)
	}
	clearUppers()
}
