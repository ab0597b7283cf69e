//go:build goexperiment.simd && amd64 && !purego

package wavefront

import "raysteps/common/mem"

// constantsOf is the numbers that the stages in lanes need, each in all lanes of
// a register of a type. The stages read them from memory, which costs less than to
// spread them.
type constantsOf[F, W any] struct {
	zero, half, one, minusHalf, minusThreeTenths, minusTwo F
	toSymmetric, toUnit, toFixed                           F
	tiny, tMin, matte, glass                               F
	sin0, sin1, sin2, sin3, cos0, cos1, cos2, cos3, cos4   F

	mixA, mixB, wordZero, wordOne   W
	thirteen, sixteen, seventeen    W
	depthShift, depthMask, tileSize W
	column, row                     W // of a lane in a block
	numbers                         W // 1, 2, 3, ...

	// Of beams: half of the sides of curve, and one by the rays of a group.
	curveSide, share F
	allButSign       W
	// The lanes that are 1, 2, 4 and 8 away, in the elements with these numbers.
	others [9]W
}

// constants is in cache lines of its own, so that a register is never in two.
var constants = func() *constantsOf[spread[float32], spread[uint32]] {
	c := &mem.Aligned[constantsOf[spread[float32], spread[uint32]]](1, mem.CacheLine)[0]
	number, word := newSpread[float32], newSpread[uint32]
	*c = constantsOf[spread[float32], spread[uint32]]{
		zero: number(0), half: number(0.5), one: number(1),
		minusHalf: number(-0.5), minusThreeTenths: number(-0.3), minusTwo: number(-2),
		toSymmetric: number(1.0 / (1 << 31)), toUnit: number(1.0 / (1 << 32)), toFixed: number(fixed),
		tiny: number(tiny), tMin: number(tMin), matte: number(matte), glass: number(glass),
		sin0: number(sin0), sin1: number(sin1), sin2: number(sin2), sin3: number(sin3),
		cos0: number(cos0), cos1: number(cos1), cos2: number(cos2), cos3: number(cos3), cos4: number(cos4),
		mixA: word(mixA), mixB: word(mixB), wordZero: word(0), wordOne: word(1),
		thirteen: word(13), sixteen: word(16), seventeen: word(17),
		depthShift: word(depthBits), depthMask: word(1<<depthBits - 1), tileSize: word(tileSize),
		curveSide: number(curveSide/2 - 0.001), share: number(1.0 / group),
		allButSign: word(1<<31 - 1),
	}
	for i := range c.column {
		c.column[i], c.row[i], c.numbers[i] = uint32(i%blockSide), uint32(i/blockSide), uint32(i)+1
		for j := range c.others {
			c.others[j][i] = uint32(i ^ j)
		}
	}
	return c
}()
