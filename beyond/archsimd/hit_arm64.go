//go:build goexperiment.simd && go1.27 && !purego

package archsimd

import (
	"simd"
	"simd/archsimd"
)

// What the processor can do. Variables, since a test of all forms sets them.
var has512, has256, has128 = false, false, true

func run512(p *firstPass, r Ray) { panic("arm64 has no registers of 512 bits") }
func run256(p *firstPass, r Ray) { panic("arm64 has no registers of 256 bits") }
func few256(p *firstPass, r Ray, tMin, tMax float32) (closest int, t float32) {
	panic("arm64 has no registers of 256 bits")
}

// maskBits4 returns a bit a lane, the first one lowest. No method does: each lane
// keeps its own of the bits, which are places, and their sum has them all.
func maskBits4(m archsimd.Mask32x4, bits archsimd.Int32x4) uint64 {
	return uint64(m.ToInt32x4().And(bits).ReduceSum())
}

// maskBits is maskBits4 for a mask whose width is not known. The package simd has
// nothing for it.
func maskBits(m simd.Mask32s) uint64 {
	switch m := m.ToArch().(type) {
	case archsimd.Mask32x4:
		return maskBits4(m, archsimd.LoadInt32x4Array(&places))
	}
	panic("a mask of no known width")
}

func cleanUppers() {}
