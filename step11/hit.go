package step11

import "math"

// firstPass is what the first pass reads and writes. The assembly knows the
// fields by their names.
type firstPass struct {
	// Columns of the spheres, padded to a multiple of four, each at a multiple
	// of 64 bytes.
	cx, cy, cz, radiusSq []float32
	// What comes out: the indices of the candidates, ascending; and at the index
	// of each candidate its coefficient nb and its discriminant. The sign of an
	// nb of 0 does not count. The other elements mean nothing. All are as long as
	// the columns.
	candidates        []uint32
	nb, discriminants []float32
}

func newFirstPass(s *SphereSoA) *firstPass {
	n := s.PaddedLen()
	return &firstPass{
		cx: s.CenterXPadded(), cy: s.CenterYPadded(), cz: s.CenterZPadded(), radiusSq: s.RadiusSqPadded(),
		candidates: make([]uint32, n), nb: make([]float32, n), discriminants: make([]float32, n),
	}
}

// Kernel names what computes the first pass: the kernel in assembly, or plain Go.
func (t *Tracer) Kernel() string {
	if hasKernel {
		return kernel
	}
	return "plain"
}

// run is runGeneric, or the kernel if this build has one that the processor can
// run.
func (p *firstPass) run(r *Ray) int {
	if hasKernel {
		return p.runKernel(r)
	}
	return p.runGeneric(r)
}

// runGeneric is the first pass in plain Go. It returns the number of
// candidates: spheres whose discriminant has a clear sign bit, so +0 is one and
// -0 is not. Whether NaN is one depends on the processor; it never leads to a
// hit.
func (p *firstPass) runGeneric(r *Ray) int {
	cx := p.cx
	cy, cz, radiusSq := p.cy[:len(cx)], p.cz[:len(cx)], p.radiusSq[:len(cx)]
	ox, oy, oz := r.Origin.X, r.Origin.Y, r.Origin.Z
	dx, dy, dz := r.Direction.X, r.Direction.Y, r.Direction.Z
	n := 0
	for i := range cx {
		cox := cx[i] - ox
		coy := cy[i] - oy
		coz := cz[i] - oz
		nb := float32(cox*dx) + float32(coy*dy) + float32(coz*dz)
		c := float32(cox*cox) + float32(coy*coy) + float32(coz*coz) - radiusSq[i]
		discriminant := float32(nb*nb) - c
		if math.Float32bits(discriminant)>>31 == 0 {
			p.nb[i], p.discriminants[i] = nb, discriminant
			p.candidates[n] = uint32(i)
			n++
		}
	}
	return n
}
