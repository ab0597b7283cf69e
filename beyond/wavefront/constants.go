//go:build goexperiment.simd && amd64 && !purego

package wavefront

// The numbers that the stages in lanes need.
var (
	zeros            = newSpread(0)
	halves           = newSpread(0.5)
	ones             = newSpread(1)
	minusHalves      = newSpread(-0.5)
	minusThreeTenths = newSpread(-0.3)
	minusTwos        = newSpread(-2)
	toSymmetric      = newSpread(1.0 / (1 << 31))
	toUnit           = newSpread(1.0 / (1 << 32))
	toFixed          = newSpread(fixed)
	tinies           = newSpread(tiny)
	tMins            = newSpread(tMin)
	mattes           = newSpread(matte)
	glasses          = newSpread(glass)

	sin0s, sin1s, sin2s, sin3s        = newSpread(sin0), newSpread(sin1), newSpread(sin2), newSpread(sin3)
	cos0s, cos1s, cos2s, cos3s, cos4s = newSpread(cos0), newSpread(cos1), newSpread(cos2), newSpread(cos3), newSpread(cos4)

	mixAs, mixBs = newSpreadWord(mixA), newSpreadWord(mixB)
	wordZeros    = newSpreadWord(0)
	wordOnes     = newSpreadWord(1)
	thirteens    = newSpreadWord(13)
	sixteens     = newSpreadWord(16)
	seventeens   = newSpreadWord(17)
	depthShifts  = newSpreadWord(depthBits)
	depthMasks   = newSpreadWord(1<<depthBits - 1)
	tileSizes    = newSpreadWord(tileSize)
	// Of the lanes of a block.
	laneColumns = func() (s spreadWord) {
		for i := range s {
			s[i] = uint32(i % blockSide)
		}
		return s
	}()
	laneRows = func() (s spreadWord) {
		for i := range s {
			s[i] = uint32(i / blockSide)
		}
		return s
	}()
)

// spreadWord is an integer in every lane.
type spreadWord [group]uint32

func newSpreadWord(x uint32) (s spreadWord) {
	for i := range s {
		s[i] = x
	}
	return s
}
