package kerneltest

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// oracle returns what a kernel must find, without the candidates whose
// discriminant is NaN. The closest hit is, of each candidate, the smaller root above
// tMin, and of these the smallest; of equal ones the first.
func (s *Suite) oracle(p *Pass, r *Ray) (out result) {
	for i := range p.CX {
		nb, discriminant := s.exact(p, r, i)
		if discriminant == discriminant && !math.Signbit(float64(discriminant)) {
			out.candidates = append(out.candidates, candidateOf(i, nb, discriminant))
		}
	}
	out.hits = hits(func(tMin, tMax float32) hit {
		closest := hit{-1, tMax}
		for _, c := range out.candidates {
			nb, root := math.Float32frombits(c.nb), sqrt(math.Float32frombits(c.discriminant))
			x := sub(nb, root)
			if !(x > tMin) {
				x = add(nb, root)
			}
			if x > tMin && x < closest.t {
				closest = hit{int(c.index), x}
			}
		}
		return closest
	})
	return out
}

// exact returns the coefficient and the discriminant of a sphere as the steps
// define them. Every operation that is not fused is done in float64 and rounded
// to float32, which gives what float32 arithmetic gives, and leaves nothing to
// fuse: float64 has more than twice the bits of float32.
func (s *Suite) exact(p *Pass, r *Ray, i int) (nb, discriminant float32) {
	x, y, z := sub(p.CX[i], r.Origin[0]), sub(p.CY[i], r.Origin[1]), sub(p.CZ[i], r.Origin[2])
	mulAdd := exactFMA
	if !s.Fused {
		mulAdd = func(x, y, z float32) float32 { return add(z, mul(x, y)) }
	}
	nb = mulAdd(z, r.Direction[2], mulAdd(y, r.Direction[1], mul(x, r.Direction[0])))
	c := sub(mulAdd(z, z, mulAdd(y, y, mul(x, x))), p.RadiusSq[i])
	return nb, sub(mul(nb, nb), c)
}

func add(x, y float32) float32 { return float32(float64(x) + float64(y)) }
func sub(x, y float32) float32 { return float32(float64(x) - float64(y)) }
func mul(x, y float32) float32 { return float32(float64(x) * float64(y)) }

// exactFMA computes x*y + z without rounding, as package big can, and then
// rounds once.
func exactFMA(x, y, z float32) float32 {
	sum := float64(x)*float64(y) + float64(z)
	// The product is exact, and the sum off by less than what is next to it.
	low, high := float32(math.Nextafter(sum, math.Inf(-1))), float32(math.Nextafter(sum, math.Inf(1)))
	if low == high || math.IsNaN(sum) || math.IsInf(sum, 0) || sum == 0 {
		return float32(sum)
	}
	exact := func(v float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(v)) }
	product := exact(x)
	product.Mul(product, exact(y))
	result, _ := product.Add(product, exact(z)).Float32()
	return result
}

// TestFMA holds a step's fused multiplication and addition to exactFMA, also
// where rounding to float64 and then to float32 goes wrong.
func TestFMA(t *testing.T, fma func(x, y, z float32) float32) {
	rng := rand.New(rand.NewPCG(12, 1))
	anyBits := func() float32 { return math.Float32frombits(rng.Uint32()) }
	twice := 0 // results that two roundings get wrong
	check := func(x, y, z float32) {
		want, got := exactFMA(x, y, z), fma(x, y, z)
		if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
			t.Fatalf("fma(%g, %g, %g) is %g (%#x); want %g (%#x)", x, y, z, got, math.Float32bits(got), want, math.Float32bits(want))
		}
		if two := float32(math.FMA(float64(x), float64(y), float64(z))); two != want && two == two {
			twice++
		}
	}
	for _, x := range specialValues {
		for _, y := range specialValues {
			for _, z := range specialValues {
				check(x, y, z)
			}
		}
	}
	for range 200_000 {
		check(anyBits(), anyBits(), anyBits())
		// A product right between two float32, and a z that decides which.
		x := 1 + float32(rng.IntN(1<<12))/(1<<12)
		y := 1 + float32(2*rng.IntN(1<<11)+1)/(1<<12)
		z := math.Float32frombits(rng.Uint32()&^(255<<23) | uint32(rng.IntN(100))<<23)
		check(x, y, z)
	}
	if twice <= 100 {
		t.Errorf("two roundings differ from one in %d cases; want more than 100", twice)
	}
}
