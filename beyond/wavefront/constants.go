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
var constants = func() *constantsOf[spread, spreadWord] {
	c := &mem.Aligned[constantsOf[spread, spreadWord]](1, mem.CacheLine)[0]
	*c = constantsOf[spread, spreadWord]{
		zero: newSpread(0), half: newSpread(0.5), one: newSpread(1),
		minusHalf: newSpread(-0.5), minusThreeTenths: newSpread(-0.3), minusTwo: newSpread(-2),
		toSymmetric: newSpread(1.0 / (1 << 31)), toUnit: newSpread(1.0 / (1 << 32)), toFixed: newSpread(fixed),
		tiny: newSpread(tiny), tMin: newSpread(tMin), matte: newSpread(matte), glass: newSpread(glass),
		sin0: newSpread(sin0), sin1: newSpread(sin1), sin2: newSpread(sin2), sin3: newSpread(sin3),
		cos0: newSpread(cos0), cos1: newSpread(cos1), cos2: newSpread(cos2), cos3: newSpread(cos3), cos4: newSpread(cos4),
		mixA: newSpreadWord(mixA), mixB: newSpreadWord(mixB), wordZero: newSpreadWord(0), wordOne: newSpreadWord(1),
		thirteen: newSpreadWord(13), sixteen: newSpreadWord(16), seventeen: newSpreadWord(17),
		depthShift: newSpreadWord(depthBits), depthMask: newSpreadWord(1<<depthBits - 1), tileSize: newSpreadWord(tileSize),
		curveSide: newSpread(curveSide/2 - 0.001), share: newSpread(1.0 / group),
		allButSign: newSpreadWord(1<<31 - 1),
	}
	for i := range c.column {
		c.column[i], c.row[i], c.numbers[i] = uint32(i%blockSide), uint32(i/blockSide), uint32(i)+1
		for j := range c.others {
			c.others[j][i] = uint32(i ^ j)
		}
	}
	return c
}()

// spreadWord is an integer in every lane.
type spreadWord [group]uint32

func newSpreadWord(x uint32) (s spreadWord) {
	for i := range s {
		s[i] = x
	}
	return s
}
